"""Reads and writes the table of constructs, and puts the facts of a record into lines.

A row of a file in `constructs/` is a heading, a source, and the facts that the readers see:

    ## a heading
    module m (input a);
    endmodule
    ---
    = module m 1-2                  both readers see this
    slang: port a logic             slang alone
    tree: port a                    tree-sitter alone
    why: the reason for the lines that one reader alone sees
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.model import Bind, Connection, FileRecord, Instance, Process, Unit
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.slang.reader import read_slang
from hdlgraph.parsers.stubs import Preparer
from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.parsers.treesitter.units import read_tree_record

FOLDER = Path(__file__).parent / "constructs"
BOTH, SLANG, TREE, WHY = "= ", "slang: ", "tree: ", "why: "


@dataclass(frozen=True)
class Row:
    """A source and the lines of facts that both readers, slang and tree-sitter alone see."""

    name: str
    source: str
    both: tuple[str, ...]
    slang: tuple[str, ...]
    tree: tuple[str, ...]
    why: tuple[str, ...]


def rows(path: Path) -> list[Row]:
    """Returns the rows of a file."""
    found = []
    for part in ("\n" + path.read_text(encoding="utf-8")).split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        source, _, facts = rest.partition("\n---")
        lines = facts.splitlines()
        found.append(
            Row(name, source + "\n", *(_of(lines, kind) for kind in (BOTH, SLANG, TREE, WHY)))
        )
    return found


def _of(lines: list[str], prefix: str) -> tuple[str, ...]:
    return tuple(line.removeprefix(prefix) for line in lines if line.startswith(prefix))


def written(table: list[Row]) -> str:
    """Returns rows as the text of a file."""
    out = []
    for row in table:
        out += [f"## {row.name}", row.source + "---"]
        groups = ((BOTH, row.both), (SLANG, row.slang), (TREE, row.tree), (WHY, row.why))
        out += [prefix + line for prefix, lines in groups for line in lines]
        out.append("")
    return "\n".join(out)


def read_row(row: Row) -> Row:
    """Returns a row with the facts that the readers see now."""
    slang, tree = facts_by_slang(row.source), facts_by_tree(row.source)
    shared = list((Counter(slang) & Counter(tree)).elements())
    return Row(
        row.name,
        row.source,
        tuple(_only(slang, shared, keep=True)),
        tuple(_only(slang, shared, keep=False)),
        tuple(_only(tree, shared, keep=False)),
        row.why,
    )


def _only(lines: list[str], shared: list[str], *, keep: bool) -> Iterator[str]:
    left = Counter(shared)
    for line in lines:
        is_shared = left[line] > 0
        left[line] -= is_shared
        if is_shared == keep:
            yield line


def facts_by_slang(source: str) -> list[str]:
    """Returns the facts of a source as slang alone reads it."""
    preparer = Preparer(IncludeIndex(["top.sv"]), lambda path: b"")
    return facts(read_slang(take_inventory("top.sv", source.encode()), preparer).record)


def facts_by_tree(source: str) -> list[str]:
    """Returns the facts of a source as tree-sitter alone reads it."""
    return facts(read_tree_record(take_inventory("top.sv", source.encode())).record)


def facts(record: FileRecord) -> list[str]:
    """Returns the facts of a record that a reader of trees finds, one a line."""
    out = [f"file import {name}:{line}" for name, line in sorted(record.imports)]
    out += [_line("file type", t.kind, t.name, *t.members) for t in record.types]
    out += [_line("file", r.kind, r.name, f"{r.line}-{r.end_line}") for r in record.routines]
    out += [_line("file", p.kind, p.type, p.name, "=", p.default) for p in record.parameters]
    out += [_bind(bind) for bind in record.binds]
    for unit in record.units:
        out += _unit(unit)
    return out


def _unit(unit: Unit) -> list[str]:
    name = unit.name
    head = (f"in {unit.parent}" if unit.parent else "", f"extends {unit.extends}")
    out = [
        _line(
            unit.kind,
            name,
            f"{unit.line}-{unit.end_line}",
            head[0],
            head[1] if unit.extends else "",
            _comment(unit.comment),
        )
    ]
    out += [f"{name} import {package}:{line}" for package, line in sorted(unit.imports)]
    out += [
        _line(name, p.kind, p.type, p.name, "=", p.default, _comment(p.comment))
        for p in unit.parameters
    ]
    out += [
        _line(name, "port", p.direction, p.type, p.name, _comment(p.comment)) for p in unit.ports
    ]
    signals = [s for s in unit.signals if not s.implicit]
    out += [_line(name, "signal", s.type, s.name, _comment(s.comment)) for s in signals]
    out += [_line(name, "type", t.kind, t.name, *t.members) for t in unit.types]
    out += [_line(name, r.kind, r.name, f"{r.line}-{r.end_line}") for r in unit.routines]
    out += [_line(name, "modport", m.name, *(" ".join(p) for p in m.ports)) for m in unit.modports]
    out += [_line(name, "instance", *_instance(item)) for item in unit.instances]
    out += [_line(name, *_process(item)) for item in unit.processes]
    out += [_line(name, "check", a.kind, a.name, a.text) for a in unit.assertions]
    return out


def _line(*words: str) -> str:
    return " ".join(word for word in words if word)


def _comment(text: str) -> str:
    return "// " + " ".join(text.split()) if text else ""


def _instance(item: Instance) -> Iterator[str]:
    yield f"{item.unit} {item.name} {item.line}-{item.end_line}"
    for scope in item.scopes:
        yield f"[{scope.kind} {scope.label or '-'}: {scope.condition}]"
    if item.parameters:
        yield "#(" + ", ".join(f"{name}={value}" for name, value in item.parameters) + ")"
    yield _connections(item.connections)
    yield _comment(item.comment)


def _connections(items: tuple[Connection, ...]) -> str:
    out = []
    for item in items:
        port = item.port or f"#{item.position}"
        out.append(f"{port}={item.expr}{{{' '.join(item.signals)}}}" if port != "*" else "*")
    return f"({', '.join(out)})"


def _bind(item: Bind) -> str:
    where = f"bind {item.target}:{item.line}"
    return f"{where} {item.unit} {item.name} {_connections(item.connections)}"


def _process(item: Process) -> Iterator[str]:
    yield f"{item.kind} {item.label or '-'} {item.line}-{item.end_line}"
    yield " ".join(f"{edge} {name}" for edge, name in item.clocks)
    yield f"reset {' '.join(item.resets)}" if item.resets else ""
    yield f"reads {' '.join(item.reads)}" if item.reads else ""
    yield f"writes {' '.join(item.writes)}" if item.writes else ""
    yield _comment(item.comment)
