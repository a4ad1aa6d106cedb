// What stands around a name: left who uses it, right what it uses. A click opens the next ring.
"use strict";
(() => {
  const stage = document.querySelector("#graph");
  const about = document.querySelector("#about");
  const data = JSON.parse(document.querySelector("#data").textContent);
  const narrow = stage.clientWidth < 600;
  const ROW = 25, COLUMN = narrow ? 240 : 330, ROWS = 34, FEW = narrow ? 0 : 40, READABLE = narrow ? 0.75 : 0.62;
  const ORDER = ["INSTANTIATES", "BINDS", "EXTENDS", "CONNECTS", "IMPORTS", "INCLUDES", "USES", "PARAMETERIZES", "DEFINES", "IMPLEMENTS"];
  const late = (kind) => { const n = ORDER.indexOf(kind); return n < 0 ? ORDER.length : n; };
  const nodes = new Map(), edges = new Map(), opened = new Set();
  const short = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
  const last = (path) => path.slice(path.lastIndexOf("/") + 1);

  // A node's side is the signed number of steps to the centre: negative ones use it.
  const take = (found, from) => {
    const side = nodes.get(from)?.side ?? 0;
    const ways = new Map(found.edges.map((e) => (e.source === from ? [e.target, 1] : [e.source, -1])));
    const known = nodes.size;
    for (const one of found.nodes) {
      if (nodes.has(one.id)) continue;
      const way = ways.get(one.id) ?? 1;
      const next = side === 0 ? way : side + Math.sign(side) * (Math.sign(side) === way ? 1 : 0);
      nodes.set(one.id, { ...one, side: next === 0 ? way : next, by: from, mixed: Math.sign(side) !== way && side !== 0 });
    }
    for (const one of found.edges) edges.set(`${one.source} ${one.kind} ${one.target}`, one);
    return nodes.size - known;
  };
  nodes.set(data.centre.id, { ...data.centre, side: 0, by: "" });
  take(data, data.centre.id);
  opened.add(data.centre.id);

  const svg = d3.create("svg").attr("class", "picture");
  const view = svg.append("g");
  svg.append("defs").append("marker").attr("id", "tip").attr("viewBox", "0 0 8 8").attr("refX", 8).attr("refY", 4)
    .attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto").append("path").attr("d", "M0 0 8 4 0 8z").attr("class", "tip");
  const lines = view.append("g"), words = view.append("g"), boxes = view.append("g");
  const zoom = d3.zoom().scaleExtent([0.1, 3]).on("zoom", (event) => view.attr("transform", event.transform));
  svg.call(zoom).on("dblclick.zoom", null);

  const place = () => {
    const sides = d3.group([...nodes.values()], (one) => one.side);
    const of = new Map([...edges.values()].flatMap((e) => [[e.source + e.target, e.kind], [e.target + e.source, e.kind]]));
    for (const [side, column] of sides) {
      if (!side) { column.forEach((one) => { one.x = 0; one.y = 0; }); continue; }
      column.sort((a, b) => d3.ascending(nodes.get(a.by)?.y ?? 0, nodes.get(b.by)?.y ?? 0)
        || d3.ascending(late(of.get(a.id + a.by)), late(of.get(b.id + b.by))) || d3.ascending(a.name, b.name));
    }
    // Wide columns push those beyond them outwards.
    for (const way of [-1, 1]) {
      let at = 0;
      for (let step = 1; sides.has(way * step); step++) {
        const column = sides.get(way * step), parts = Math.ceil(column.length / ROWS);
        const rows = Math.ceil(column.length / parts);
        column.forEach((one, n) => {
          one.x = way * (at + COLUMN * (1 + Math.floor(n / rows)));
          one.y = ((n % rows) - (Math.min(rows, column.length) - 1) / 2) * ROW;
        });
        at += COLUMN * parts;
      }
    }
  };
  const label = (one) => short(one.kind === "file" ? last(one.name) : one.name.length > 28 ? one.name.slice(one.name.lastIndexOf(".") + 1) : one.name, 28);
  const width = (one) => label(one).length * 6.7 + 22;
  // Boxes of a column begin at its inner edge: left ones end there, right ones start there.
  const edge = (one) => (one.side ? one.x - Math.sign(one.side) * 110 : one.x);
  const from = (one) => (one.side > 0 ? edge(one) : one.side < 0 ? edge(one) - width(one) : one.x - width(one) / 2);
  const bend = (e) => {
    const a = nodes.get(e.source), b = nodes.get(e.target), right = b.x >= a.x;
    if (a.side && edge(a) === edge(b)) { // of one column: a bow at its inner edge
      const x = edge(a), far = x - Math.sign(a.side) * Math.min(200, 30 + Math.abs(a.y - b.y) / 3);
      return `M${x} ${a.y}C${far} ${a.y} ${far} ${b.y} ${x} ${b.y}`;
    }
    const x1 = from(a) + (right ? width(a) : 0), x2 = from(b) + (right ? 0 : width(b)), mid = (x1 + x2) / 2;
    return `M${x1} ${a.y}C${mid} ${a.y} ${mid} ${b.y} ${x2} ${b.y}`;
  };
  // The place of an edge stands before the box that is farther out.
  const outer = (e) => { const a = nodes.get(e.source), b = nodes.get(e.target); return Math.abs(a.side) >= Math.abs(b.side) ? a : b; };

  const near = (id) => {
    const found = new Set([id]);
    for (const e of edges.values()) { if (e.source === id) found.add(e.target); if (e.target === id) found.add(e.source); }
    return found;
  };
  const light = (id) => {
    const found = id ? near(id) : null;
    boxes.selectAll("g").classed("far", (one) => found && !found.has(one.id));
    lines.selectAll("path").classed("far", (e) => id && e.source !== id && e.target !== id).classed("lit", (e) => id && (e.source === id || e.target === id));
    const labelled = id ? [...edges.values()].filter((e) => e.source === id || e.target === id) : edges.size <= FEW ? [...edges.values()] : [];
    // Edges that end at one box share a label: the first place, and how many more.
    const shared = [...d3.group(labelled.slice(0, 200), (e) => outer(e)).entries()];
    words.selectAll("text").data(shared, ([one]) => one.id).join("text")
      .attr("class", "said").attr("text-anchor", ([one]) => (one.side > 0 ? "end" : "start"))
      .attr("x", ([one]) => edge(one) - Math.sign(one.side) * 12).attr("y", ([one]) => one.y - 3)
      .text(([, of]) => `${last(of[0].path)}:${of[0].line}${of.length > 1 ? ` +${of.length - 1}` : ""}`);
  };

  const draw = () => {
    const started = performance.now();
    place();
    lines.selectAll("path").data([...edges.values()].filter((e) => nodes.has(e.source) && nodes.has(e.target)), (e) => `${e.source} ${e.kind} ${e.target}`)
      .join((enter) => { const p = enter.append("path"); p.append("title"); return p; })
      .attr("class", (e) => `edge e-${e.kind}`).attr("marker-end", "url(#tip)").attr("d", bend)
      .select("title").text((e) => `${e.words} ${e.text} ${e.location}`);
    boxes.selectAll("g").data([...nodes.values()], (one) => one.id)
      .join((enter) => {
        const g = enter.append("g").attr("tabindex", 0).attr("role", "button");
        g.append("rect").attr("height", 19).attr("y", -9.5).attr("rx", 4);
        g.append("text").attr("text-anchor", "middle").attr("dy", "0.34em");
        g.append("title");
        g.on("click", (_event, one) => choose(one)).on("keydown", (event, one) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(one); } });
        g.on("mouseenter focus", (_event, one) => light(one.id)).on("mouseleave blur", () => light(""));
        return g;
      })
      .attr("class", (one) => `node n-${one.kind}${one.side ? "" : " centre"}${opened.has(one.id) ? " open" : ""}`)
      .attr("aria-label", (one) => `${one.kind} ${one.name}${one.role ? `, ${one.role}` : ""}`)
      .attr("transform", (one) => `translate(${from(one)} ${one.y})`)
      .call((g) => g.select("rect").attr("width", width))
      .call((g) => g.select("text").attr("x", (one) => width(one) / 2).text(label))
      .call((g) => g.select("title").text((one) => `${one.kind} ${one.name}\n${one.location}`));
    light("");
    stage.dataset.drawn = String(Math.round(performance.now() - started));
    stage.dataset.nodes = String(nodes.size);
  };
  const fit = (smooth, all = false) => {
    const box = view.node().getBBox(), w = stage.clientWidth, h = stage.clientHeight;
    if (!w || !box.width) return;
    const whole = Math.min(1.15, 0.96 * Math.min(w / box.width, h / box.height));
    // Where the whole would be too small to read, what is around the centre; `all` shows the whole.
    const scale = all ? whole : Math.max(whole, READABLE), cut = scale > whole;
    const right = [...nodes.values()].some((one) => one.side > 0), left = [...nodes.values()].some((one) => one.side < 0);
    const x = cut && scale * box.width > w ? (left && right ? 0 : (left ? -1 : 1) * (w / scale / 2 - 100)) : box.x + box.width / 2;
    const y = cut && scale * box.height > h ? 0 : box.y + box.height / 2;
    const to = d3.zoomIdentity.translate(w / 2 - scale * x, h / 2 - scale * y).scale(scale);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    (smooth && !still ? svg.transition().duration(250) : svg).call(zoom.transform, to);
  };

  const link = (text, href) => { const a = document.createElement("a"); a.href = href; a.textContent = text; return a; };
  const source = (path, line) => `/file/${path.split("/").map(encodeURIComponent).join("/")}${line > 2000 ? `?line=${Math.floor((line - 1) / 2000) * 2000 + 1}` : ""}#L${line}`;
  const tell = (one, more) => {
    about.textContent = "";
    const head = document.createElement("h2");
    head.textContent = one.name;
    const where = document.createElement("p");
    where.append(`${one.kind}${one.role ? `, ${one.role}` : ""} `);
    if (one.path) where.append(document.createElement("br"), link(one.location, source(one.path, one.line)));
    const acts = document.createElement("p");
    acts.className = "acts";
    acts.append(link("Card", `/show?name=${encodeURIComponent(one.id)}`), " ", link("Centre here", `/graph?name=${encodeURIComponent(one.id)}`));
    const said = document.createElement("p");
    said.className = "dim";
    said.textContent = more;
    const list = document.createElement("ul");
    list.className = "rows small";
    for (const e of [...edges.values()].filter((x) => x.source === one.id || x.target === one.id).slice(0, 60)) {
      const item = document.createElement("li");
      const other = nodes.get(e.source === one.id ? e.target : e.source);
      item.append(e.source === one.id ? `${e.words} ${other.name} ` : `${other.name} ${e.words} it `, link(`${last(e.path)}:${e.line}`, source(e.path, e.line)));
      list.append(item);
    }
    about.append(head, where, acts, said, list);
  };
  const choose = async (one) => {
    if (opened.has(one.id)) { tell(one, ""); return; }
    opened.add(one.id);
    const asked = new URLSearchParams([["name", one.id], ["limit", "40"]]);
    for (const box of document.querySelectorAll(".filters input:checked")) asked.append(box.name, box.value);
    const found = await fetch(`/api/v1/neighbours?${asked}`).then((r) => r.json()).catch(() => ({ error: "the server does not answer" }));
    if (found.error) { opened.delete(one.id); tell(one, found.error); return; }
    const added = take(found, one.id);
    draw();
    fit(true);
    tell(one, `${added} more node${added === 1 ? "" : "s"}${found.total > found.nodes.length ? ` of ${found.total}; centre here for the others` : ""}.`);
  };

  stage.textContent = "";
  stage.append(svg.node());
  const tools = document.createElement("div");
  tools.className = "zoom";
  for (const [sign, words, act] of [
    ["+", "Larger (+)", () => svg.call(zoom.scaleBy, 1.4)],
    ["−", "Smaller (-)", () => svg.call(zoom.scaleBy, 1 / 1.4)],
    ["all", "The whole graph (0)", () => fit(true, true)],
  ]) {
    const one = document.createElement("button");
    Object.assign(one, { type: "button", textContent: sign, title: words });
    one.setAttribute("aria-label", words);
    one.addEventListener("click", act);
    tools.append(one);
  }
  stage.append(tools);
  stage.addEventListener("keydown", (event) => {
    const key = { "+": 0, "=": 0, "-": 1, 0: 2 }[event.key];
    if (key !== undefined && !event.ctrlKey && !event.metaKey) { event.preventDefault(); tools.children[key].click(); return; }
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) { event.preventDefault(); svg.call(zoom.translateBy, way[0] * 80, way[1] * 80); }
  });
  draw();
  fit(false);
  addEventListener("resize", () => fit(false));
  for (const box of document.querySelectorAll(".filters input[type=checkbox]")) box.addEventListener("change", () => box.form.requestSubmit());
})();
