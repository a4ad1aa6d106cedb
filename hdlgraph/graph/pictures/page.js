"use strict";
(() => {
  const find = document.getElementById("find");
  const found = document.getElementById("found");
  const groups = [...document.querySelectorAll(".drawing g[id]")];
  const items = [...document.querySelectorAll("nav li, section li")];
  const texts = new Map([...groups, ...items].map((one) => [one, one.textContent.toLowerCase()]));
  const search = () => {
    const wanted = find.value.trim().toLowerCase();
    let first = null, count = 0;
    for (const one of groups) {
      const is = wanted !== "" && texts.get(one).includes(wanted);
      one.classList.toggle("lit", is);
      const box = one.querySelector(".box");
      if (box) box.classList.toggle("hit", is);
      if (is) { count += 1; first = first || one; }
    }
    for (const one of items) {
      const is = wanted === "" || texts.get(one).includes(wanted);
      one.hidden = !is;
      if (is && wanted !== "" && one.closest("nav")) {
        for (let up = one.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
      }
    }
    found.textContent = wanted === "" ? "" : `${count} boxes`;
    if (first) first.scrollIntoView({ block: "center", inline: "center" });
  };
  find.addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== find) { event.preventDefault(); find.focus(); }
    if (event.key === "Escape" && document.activeElement === find) { find.value = ""; search(); }
  });
  for (const drawing of document.querySelectorAll(".drawing")) {
    drawing.classList.add("fit");
    drawing.addEventListener("dblclick", () => drawing.classList.toggle("fit"));
    drawing.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target === drawing) drawing.classList.toggle("fit");
    });
    const wires = [...drawing.querySelectorAll("path[data-ends]")];
    for (const group of drawing.querySelectorAll("g[id]")) {
      const own = group.id.split("-").pop();
      const light = (on) => wires.filter((wire) => wire.dataset.ends.split(" ").includes(own))
        .forEach((wire) => wire.classList.toggle("lit", on));
      group.addEventListener("mouseenter", () => light(true));
      group.addEventListener("mouseleave", () => light(false));
    }
  }
})();
