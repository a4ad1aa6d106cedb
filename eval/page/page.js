// Sorts tables by a column and filters questions; the page reads the same without it.
"use strict";
const valueOf = (cell) => {
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number.parseFloat(text.replaceAll(",", "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text.toLowerCase() : number;
};
const compare = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) head.setAttribute("aria-sort", "none");
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      const keys = new Map(rows.map((row) => [row, valueOf(row.cells[column])]));
      rows.sort((a, b) => (down ? -1 : 1) * compare(keys.get(a), keys.get(b)));
      table.tBodies[0].append(...rows);
    });
  });
}
for (const box of document.querySelectorAll("input[data-filter]")) {
  const table = box.closest("p").nextElementSibling.querySelector("table");
  box.closest("p").hidden = false;
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });
}
const open = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  const folded = target && target.closest("details");
  if (folded) { folded.open = true; target.scrollIntoView({ block: "center" }); }
};
window.addEventListener("hashchange", open);
open();
