"""Undriven and unread signals of an index against slang's own -Wunused of the same design.

    python -m hdlgraph.eval.structural.unused REPO INDEX TOP [TOP ...] [--worst N]

Compared are signals and ports of elaborated units. A name that stands on a line of an `ifdef, or of
a generate branch that no instance takes, is left out on both sides: slang looks at one
configuration, hdlgraph at all. So are signals of interfaces, names that slang does not declare, and
what is connected to a port that another unit has under an `ifdef alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.elaborated import Elaborated, for_tops, members, say
from hdlgraph.model import FileRecord
from hdlgraph.project import Project
from hdlgraph.query.unused.texts import Text
from hdlgraph.store.design.facts import read_facts

NEVER_READ = frozenset({"unread", "unused", "unread_input"})
NEVER_DRIVEN = frozenset({"undriven", "undriven_output"})
CODES = {
    **dict.fromkeys(("UnusedButSetVariable", "UnusedButSetNet", "UnusedButSetPort"), "read"),
    **dict.fromkeys(("UnusedVariable", "UnusedNet", "UnusedPort"), "read"),
    **dict.fromkeys(("UnassignedVariable", "UndrivenNet", "UndrivenPort"), "driven"),
}
Key = tuple[str, str]
"""Path and name of a unit."""
Names = set[tuple[str, str, str]]
"""(path, unit, name) of signals."""


def slang_unused(design: Elaborated) -> Iterator[tuple[str, str, int, str]]:
    """Yields (never read or driven, path, line, name) of slang's warnings."""
    from pyslang import analysis

    options = analysis.AnalysisOptions()
    options.flags = analysis.AnalysisFlags.CheckUnused
    manager = analysis.AnalysisManager(options)
    manager.analyze(design.compilation)
    for one in manager.getDiagnostics():
        kind = CODES.get(str(one.code).removeprefix("DiagCode(").rstrip(")"))
        if kind:
            place = design.path_of(one.location), design.line_of(one.location)
            yield kind, *place, str(one.args[0])


class Compared:
    """What of a design can be compared.

    Args:
        design: the design.
        records: the facts of all files.
        root: the repository.
    """

    def __init__(self, design: Elaborated, records: Iterable[FileRecord], root: Path) -> None:
        self.units = {(path, name) for path, name, _ in design.bodies()}
        self._declared: dict[Key, set[str]] = defaultdict(set)
        self._taken: dict[Key, set[int]] = defaultdict(set)
        self._left: dict[Key, set[int]] = defaultdict(set)
        for path, name, body in design.bodies():
            self._blocks(design, body, (path, name))
            self._declared[path, name] |= {one.name for one in members(body)}
        self.facts = {
            (record.path, unit.name): unit
            for record in records
            for unit in record.units
            if (record.path, unit.name) in self.units
        }
        paths = {path for path, _ in self.units}
        self._branches = {
            record.path: {n for a, b in record.branches for n in range(a, b + 1)}
            for record in records
            if record.path in paths
        }
        texts = {one: (root / one).read_text("utf-8", errors="replace") for one in paths}
        self._texts = {path: Text(path, text) for path, text in texts.items()}
        conditional = {
            (unit.name, port.name)
            for record in records
            for unit in record.units
            for port in unit.ports
            if port.condition
        }
        self._conditional = {
            (key, signal)
            for key, unit in self.facts.items()
            for instance in unit.instances
            for link in instance.connections
            if (instance.unit, link.port) in conditional
            for signal in link.signals
        }

    def _blocks(self, design: Elaborated, scope: Any, key: Key) -> None:
        from pyslang import ast

        for one in scope:
            is_array = isinstance(one, ast.GenerateBlockArraySymbol)
            if not is_array and not isinstance(one, ast.GenerateBlockSymbol):
                continue
            left = not list(one) if is_array else one.isUninstantiated
            if one.syntax is not None and (left or not is_array):
                span = one.syntax.sourceRange
                lines = range(design.line_of(span.start), design.line_of(span.end) + 1)
                (self._left if left else self._taken)[key].update(lines)
            if not left:
                self._blocks(design, one, key)

    def has(self, path: str, unit: str, name: str) -> bool:
        """Returns whether all places of a name count for slang too."""
        key = (path, unit)
        facts, text = self.facts.get(key), self._texts[path]
        if facts is None or name not in self._declared[key] or (key, name) in self._conditional:
            return False
        left = (self._left[key] - self._taken[key]) | self._branches.get(path, set())
        places = text.find(name, *text.span(facts.line, facts.end_line))
        return not any(text.line(at) in left for at in places)

    def unit_at(self, path: str, line: int, name: str) -> str:
        """Returns the unit around a line that declares a name, "" for none, as in a process."""
        for (of, unit), facts in self.facts.items():
            if facts.kind != "interface" and of == path and facts.line <= line <= facts.end_line:
                names = {one.name for one in facts.ports} | {one.name for one in facts.signals}
                return unit if name in names else ""
        return ""


def measure(root: Path, index: Path, top: str, worst: int = 0) -> None:
    """Prints the figures of one top."""
    project = Project(root, index)
    records = read_facts(project._generation().folder)
    design = Elaborated(project, top)
    compared = Compared(design, records, root)
    true: dict[str, Names] = {"read": set(), "driven": set()}
    for kind, path, line, name in slang_unused(design):
        unit = compared.unit_at(path, line, name)
        if unit and compared.has(path, unit, name):
            true[kind].add((path, unit, name))
    found: dict[str, Names] = {"read": set(), "driven": set()}
    for one in project._all_unused()[0]:
        kind = "read" if one.kind in NEVER_READ else "driven" if one.kind in NEVER_DRIVEN else ""
        has = kind and (one.path, one.unit) in compared.units
        if has and compared.has(one.path, one.unit, one.name):
            found[kind].add((one.path, one.unit, one.name))
    say(f"{top}: {len(design.files)} files, {design.errors} errors")
    for kind in ("read", "driven"):
        both = len(true[kind] & found[kind])
        recall, precision = both / max(1, len(true[kind])), both / max(1, len(found[kind]))
        say(f"  never {kind:<6} {len(true[kind])} of slang, {len(found[kind])} of hdlgraph, "
            f"recall {recall:.3f}, precision {precision:.3f}")  # fmt: skip
        for words, some in (
            ("missed", true[kind] - found[kind]),
            ("extra", found[kind] - true[kind]),
        ):
            for path, unit, name in sorted(some)[:worst]:
                say(f"    {words} {unit}.{name} {path}")


@telling_errors
def main() -> None:
    """Runs the measurement."""
    for_tops(__doc__, measure)


if __name__ == "__main__":
    raise SystemExit(main())
