// The map: a circle for each group, its area says how many files; lines join those that touch.
"use strict";
(() => {
  const stage = document.querySelector("#map");
  const about = document.querySelector("#about");
  const data = JSON.parse(document.querySelector("#data").textContent);
  const groups = data.groups.filter((one) => one.level === 0);
  const byId = new Map(data.groups.map((one) => [one.id, one]));
  const WIDE = 1000, HIGH = 640;

  const parts = Object.keys(data.parts).map((part) => ({ part, children: groups.filter((one) => one.part === part) })).filter((one) => one.children.length);
  const root = d3.hierarchy({ children: parts }).sum((one) => (one.files ? Math.max(one.files, 2) : 0)).sort((a, b) => b.value - a.value);
  d3.pack().size([WIDE, HIGH]).padding((one) => (one.depth ? 5 : 16))(root);
  const at = new Map(root.leaves().map((one) => [one.data.id, one]));

  const svg = d3.create("svg").attr("class", "picture").attr("viewBox", `0 0 ${WIDE} ${HIGH}`).attr("preserveAspectRatio", "xMidYMid meet");
  const rings = svg.append("g"), joins = svg.append("g"), spots = svg.append("g");
  rings.selectAll("g").data(root.children ?? []).join("g").call((g) => {
    g.append("circle").attr("class", "ring").attr("cx", (d) => d.x).attr("cy", (d) => d.y).attr("r", (d) => d.r);
    g.append("text").attr("class", "part").attr("text-anchor", "middle").attr("x", (d) => d.x).attr("y", (d) => Math.max(12, d.y - d.r - 4)).text((d) => data.parts[d.data.part]);
  });
  const pairs = groups.flatMap((one) => one.joins.filter((join) => at.has(join.to) && at.has(one.id)).map((join) => ({ one: one.id, join })));
  const show = (id) => {
    joins.selectAll("path").data(id === null ? [] : pairs.filter((p) => p.one === id || p.join.to === id), (p) => `${p.one} ${p.join.to}`).join("path")
      .attr("class", "join").attr("stroke-width", (p) => Math.min(7, 1 + Math.log2(p.join.count)))
      .attr("d", (p) => { const a = at.get(p.one), b = at.get(p.join.to); return `M${a.x} ${a.y}Q${(a.x + b.x) / 2 + (b.y - a.y) / 8} ${(a.y + b.y) / 2 - (b.x - a.x) / 8} ${b.x} ${b.y}`; });
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
    history.replaceState(null, "", `#g${one.id}`);
  };
  const name = (d) => { const most = Math.floor(d.r / 3.6); const text = d.data.title.split(",")[0]; return text.length <= most ? text : most < 4 ? "" : `${text.slice(0, most - 1)}…`; };
  spots.selectAll("g").data(root.leaves().filter((d) => d.data.id !== undefined), (d) => d.data.id).join("g")
    .attr("class", (d) => `spot p-${d.data.part}`).attr("transform", (d) => `translate(${d.x} ${d.y})`).attr("tabindex", 0).attr("role", "button")
    .attr("aria-label", (d) => `${d.data.title}, ${d.data.files} files`)
    .call((g) => g.append("circle").attr("r", (d) => d.r))
    .call((g) => g.append("text").attr("text-anchor", "middle").attr("dy", "0.34em").text(name))
    .call((g) => g.append("title").text((d) => `${d.data.title}\n${d.data.files} files`))
    .on("mouseenter focus", (_event, d) => show(d.data.id)).on("mouseleave blur", () => show(chosen))
    .on("click", (_event, d) => choose(d.data))
    .on("keydown", (event, d) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(d.data); } });
  stage.textContent = "";
  stage.append(svg.node());
  stage.dataset.drawn = "1";
  const asked = /^#g(\d+)$/.exec(location.hash);
  if (asked && at.has(+asked[1])) choose(byId.get(+asked[1]));
})();
