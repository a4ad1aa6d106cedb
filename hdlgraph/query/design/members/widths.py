"""The widths of types across files, and the type parameters that they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.clocks.parameters.arithmetic import evaluate
from hdlgraph.query.design.members.typed import TYPE, typed

DEEPEST = 12
"""Types and constants that one is made of by way of each other."""
LARGEST = 1 << 40
_BITS = {
    "bit": 1, "logic": 1, "reg": 1, "wire": 1, "byte": 8, "shortint": 16, "int": 32, "integer": 32,
    "longint": 64, "time": 64,
}  # fmt: skip
_RANGE = re.compile(r"\[([^\[\]]*)\]")
_COLON = re.compile(r"(?<!:):(?!:)")
_BODY = re.compile(r"^(struct|union)\b[^{]*\{(.*)\}\s*((?:\[[^\[\]]*\]\s*)*)$", re.S)
_FIELD = re.compile(r"^(.*?[\w\]\s}])\b([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)$", re.S)
_WORD = re.compile(r"(?<![\w$.'`:])[A-Za-z_][\w$]*(?:\s*::\s*[A-Za-z_][\w$]*)?")


class Widths:
    """Tells the widths of the types of a graph, as far as constants tell them."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._typed = graph, typed(graph)
        self._details = graph.nodes.column("detail")

    @cached_property
    def _packages(self) -> dict[str, int]:
        kinds, names = (self._graph.nodes.column(one) for one in ("kind", "name"))
        rows = enumerate(zip(kinds, names, strict=True))
        return {name: row for row, (kind, name) in rows if kind == NodeKind.PACKAGE.value}

    def of_type(self, row: int, depth: int = 0) -> int:
        """Returns the bits of the type at a row, 0 where not all of its members are known."""
        detail = self._details[row]
        if told := re.match(r"[^{]*, (\d+) bits?\b", detail):
            return int(told[1])
        if depth > DEEPEST or detail.endswith("..."):
            return 0
        owner = self._typed.owner.get(row, -1)
        if detail.startswith("alias "):
            return self.of_text(detail[6:].partition("{")[0], owner, depth + 1)
        kind = detail.partition(" ")[0]
        if kind not in ("struct", "union") or not detail.rstrip().endswith("}"):
            return 0
        fields = self._typed.fields(row).values()
        return _whole(kind, [self.of_text(text, owner, depth + 1) for text in fields])

    def of_text(self, text: str, unit: int, depth: int = 0) -> int:
        """Returns the bits of a type as a unit writes it, 0 where they are not known."""
        if told := re.search(r" \((\d+) bits?\)$", text):
            return int(told[1])
        text = text.strip()
        if body := _BODY.match(text):
            fields = [
                self._field(one, unit, depth + 1) for one in body[2].split(";") if one.strip()
            ]
            return self._sized(_whole(body[1], fields), body[3], unit, depth)
        plain = _RANGE.sub(" ", text)
        words = [one for one in plain.split() if one not in ("signed", "unsigned", "var", "packed")]
        if len(words) > 1 or "{" in text:
            return 0
        base = _BITS.get(words[0], 0) if words else 1
        if not base and not self.parameter_of(text, unit)[0]:
            rows = self._typed.of_text(words[0], unit)
            widths = {self.of_type(one, depth + 1) for one in rows} if depth <= DEEPEST else set()
            base = widths.pop() if len(widths) == 1 else 0
        return self._sized(base, text, unit, depth)

    def _field(self, text: str, unit: int, depth: int) -> int:
        """Returns the bits of `logic [7:0] a` or `logic a, b` within a body."""
        first, *others = text.split(",")
        field = _FIELD.match(first.strip())
        if field is None or any("[" in one for one in others):
            return 0
        return self.of_text(field[1] + field[3], unit, depth) * (1 + len(others))

    def _sized(self, base: int, text: str, unit: int, depth: int) -> int:
        """Returns the bits of so many as the ranges in a text say."""
        for inner in _RANGE.findall(text):
            values = [self._value(one, unit, depth) for one in _COLON.split(inner)]
            known = [one for one in values if one is not None]
            if len(known) != len(values) or len(values) > 2:
                return 0
            base *= abs(known[0] - known[1]) + 1 if known[1:] else max(known[0], 0)
        return base if 0 < base < LARGEST else 0

    def _value(self, text: str, unit: int, depth: int) -> int | None:
        found = evaluate(text, lambda name: self._constant(name, unit, depth + 1))
        return found if isinstance(found, int) else None

    def _constant(self, name: str, unit: int, depth: int) -> int | None:
        """Returns the value of a constant that a unit sees and no instance may override."""
        package, _, short = name.replace(" ", "").rpartition("::")
        owners = [self._packages.get(package, -1)] if package else [unit, *self._imported(unit)]
        kinds, ids = self._graph.nodes.column("kind"), self._graph.nodes.column("id")
        for owner in owners if depth <= DEEPEST else ():
            if owner < 0:
                continue
            row = self._graph.row(f"parameter:{ids[owner].partition(':')[2]}.{short}")
            if row < 0:
                continue
            head, given, text = self._details[row].partition(" = ")
            is_fixed = kinds[owner] == NodeKind.PACKAGE.value or head.startswith("localparam")
            return self._value(text, owner, depth) if given and is_fixed else None
        return None

    def _imported(self, unit: int) -> list[int]:
        kinds, ends = (self._graph.edges.column(one) for one in ("kind", "target"))
        edges = self._graph.out_edges(unit).tolist() if unit >= 0 else ()
        return sorted({int(ends[one]) for one in edges if kinds[one] == "IMPORTS"})

    def parameter_of(self, text: str, unit: int) -> tuple[str, str]:
        """Returns (name, default) of the type parameter of a unit that a type is, ("", "") else."""
        for name in _WORD.findall(_RANGE.sub(" ", text)):
            node = self._graph.nodes.column("id")[unit].partition(":")[2] if unit >= 0 else ""
            row = self._graph.row(f"parameter:{node}.{name}")
            if row >= 0 and re.match(r"(?:localparam )?type\b", self._details[row]):
                return name, self._details[row].partition(" = ")[2]
        return "", ""

    def parameters(self, row: int) -> Iterator[tuple[str, str]]:
        """Yields (name, default) of the type parameters that the members of a type are of."""
        owner = self._typed.owner.get(row, -1)
        found: dict[str, str] = {}
        detail = self._details[row]
        texts = [detail[6:]] if detail.startswith("alias ") else self._typed.fields(row).values()
        for text in texts:
            name, default = self.parameter_of(text, owner)
            if name:
                found.setdefault(name, default)
        yield from found.items()


def _whole(kind: str, sizes: list[int]) -> int:
    """Returns the bits of a structure, or of the largest member of a union; 0 if one is unknown."""
    if not sizes or not all(sizes):
        return 0
    return sum(sizes) if kind == "struct" else max(sizes)


def with_width(graph: Graph, row: int) -> dict[str, object]:
    """Returns `{width, type_parameters}` of the type at a row, {} where it is no structure."""
    detail = graph.nodes.column("detail")[row]
    if graph.nodes.column("kind")[row] != TYPE or not re.match(r"struct|union|alias", detail):
        return {}
    widths = Widths(graph)
    parameters = [{"name": name, "default": text} for name, text in widths.parameters(row)]
    return {"width": widths.of_type(row), "type_parameters": parameters}
