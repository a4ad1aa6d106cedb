// The map: a field for each group, its area says how many files; lines join those that touch.
"use strict";
(() => {
  const stage = document.querySelector("#map");
  const about = document.querySelector("#about");
  const data = JSON.parse(document.querySelector("#data").textContent);
  const groups = data.groups.filter((one) => one.level === 0);
  const byId = new Map(data.groups.map((one) => [one.id, one]));
  const parts = Object.keys(data.parts).map((part) => ({ part, children: groups.filter((one) => one.part === part) })).filter((one) => one.children.length);
  const fits = (text, wide, each) => { const most = Math.floor(wide / each); return text.length <= most ? text : most < 3 ? "" : `${text.slice(0, most - 1)}…`; };
  const mid = (d) => [(d.x0 + d.x1) / 2, (d.y0 + d.y1) / 2];
  const root = d3.hierarchy({ children: parts }).sum((one) => (one.files ? Math.max(one.files, 2) : 0)).sort((a, b) => b.value - a.value);
  const at = new Map(root.leaves().map((one) => [one.data.id, one]));

  const svg = d3.create("svg").attr("class", "picture");
  const heads = svg.append("g"), spots = svg.append("g"), joins = svg.append("g");
  const pairs = groups.flatMap((one) => one.joins.filter((join) => at.has(join.to) && at.has(one.id)).map((join) => ({ one: one.id, join })));
  const show = (id) => {
    const own = pairs.filter((p) => p.one === id || (p.join.to === id && !pairs.some((q) => q.one === id && q.join.to === p.one)));
    own.sort((a, b) => b.join.count - a.join.count);
    joins.selectAll("path").data(id === null ? [] : own.slice(0, 14), (p) => `${p.one} ${p.join.to}`).join("path")
      .attr("class", "join").attr("stroke-width", (p) => Math.min(4, 0.8 + Math.log2(p.join.count) / 2.2))
      .attr("d", (p) => { const [ax, ay] = mid(at.get(p.one)), [bx, by] = mid(at.get(p.join.to)); return `M${ax} ${ay}Q${(ax + bx) / 2 + (by - ay) / 8} ${(ay + by) / 2 - (bx - ax) / 8} ${bx} ${by}`; });
    const near = id === null ? null : new Set([id, ...pairs.filter((p) => p.one === id).map((p) => p.join.to), ...pairs.filter((p) => p.join.to === id).map((p) => p.one)]);
    spots.selectAll("g").classed("far", (d) => near && !near.has(d.data.id));
  };
  let chosen = null;
  const link = (text, href) => { const a = document.createElement("a"); a.href = href; a.textContent = text; return a; };
  const add = (name, text, where, kind = "") => { const one = document.createElement(name); one.textContent = text; if (kind) one.className = kind; where.append(one); return one; };
  const source = (path, line) => `/file/${path.split("/").map(encodeURIComponent).join("/")}${line > 2000 ? `?line=${Math.floor((line - 1) / 2000) * 2000 + 1}` : ""}#L${line}`;
  const tell = (one) => {
    about.textContent = "";
    add("h2", one.title, about);
    add("p", `${one.files} files, ${one.units} units`, about, "dim");
    add("p", one.purpose, about);
    if (one.top.length) {
      add("h3", "Units", about, "label");
      const list = add("ul", "", about, "rows small");
      for (const unit of one.top) add("li", `${unit.kind} `, list).append(link(unit.name, `/show?name=${encodeURIComponent(unit.name)}`));
    }
    if (one.joins.length) {
      add("h3", "Joined to", about, "label");
      const list = add("ul", "", about, "rows small");
      for (const join of one.joins) {
        const item = add("li", "", list);
        const other = byId.get(join.to);
        if (other && at.has(join.to)) { const b = add("button", join.title, item, "link"); b.addEventListener("click", () => choose(other)); } else add("b", join.title, item);
        add("div", join.words, item, "dim");
        for (const said of join.examples) { const p = add("div", `${said.text} `, item); if (said.path) p.append(link(`${said.path.slice(said.path.lastIndexOf("/") + 1)}:${said.line}`, source(said.path, said.line))); }
      }
    }
    const below = data.groups.filter((g) => g.parent === one.id);
    if (below.length) { add("h3", "Groups in it", about, "label"); const list = add("ul", "", about, "rows small"); for (const g of below) add("li", `${g.title} (${g.files} files)`, list); }
  };
  const choose = (one) => {
    chosen = one.id;
    spots.selectAll("g").classed("chosen", (d) => d.data.id === chosen);
    show(chosen);
    tell(one);
    history.replaceState(null, "", `#map-${one.id}`);
  };
  const wide = (d) => d.x1 - d.x0, high = (d) => d.y1 - d.y0;
  heads.selectAll("text").data(root.children ?? []).join("text").attr("class", "part");
  spots.selectAll("g").data(root.leaves().filter((d) => d.data.id !== undefined), (d) => d.data.id).join("g")
    .attr("class", (d) => `spot p-${d.data.part}`).attr("tabindex", 0).attr("role", "button")
    .attr("aria-label", (d) => `${d.data.title}, ${d.data.files} files`)
    .call((g) => g.append("rect").attr("rx", 3))
    .call((g) => g.append("text").attr("class", "title").attr("x", 6).attr("y", 16))
    .call((g) => g.append("text").attr("class", "few").attr("x", 6).attr("y", 31))
    .call((g) => g.append("title").text((d) => `${d.data.title}\n${d.data.files} files`))
    .on("mouseenter focus", (_event, d) => show(d.data.id)).on("mouseleave blur", () => show(chosen))
    .on("click", (_event, d) => choose(d.data))
    .on("keydown", (event, d) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(d.data); } });
  const lay = () => {
    const width = Math.max(stage.clientWidth - 2, 300), height = Math.max(stage.clientHeight - 2, 300);
    svg.attr("viewBox", `0 0 ${width} ${height}`);
    d3.treemap().size([width, height]).paddingInner(3).paddingTop((one) => (one.depth === 1 ? 20 : 3)).paddingRight(3).paddingBottom(3).paddingLeft(3).round(true)(root);
    heads.selectAll("text").attr("x", (d) => d.x0 + 5).attr("y", (d) => d.y0 + 15).text((d) => fits(data.parts[d.data.part], wide(d) - 6, 7.4));
    const every = spots.selectAll("g").attr("transform", (d) => `translate(${d.x0} ${d.y0})`);
    every.select("rect").attr("width", wide).attr("height", high);
    every.select(".title").text((d) => (high(d) < 20 ? "" : fits(d.data.title.split(", ")[0], wide(d) - 8, 6.8)));
    every.select(".few").text((d) => (high(d) < 38 ? "" : fits(`${d.data.files} files`, wide(d) - 8, 5.8)));
    joins.selectAll("path").remove();
    show(chosen);
  };
  stage.textContent = "";
  stage.append(svg.node());
  lay();
  addEventListener("resize", lay);
  stage.dataset.drawn = "1";
  const asked = /^#map-(\d+)$/.exec(location.hash);
  if (asked && at.has(+asked[1])) choose(byId.get(+asked[1]));
})();
