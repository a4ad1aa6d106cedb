"""DRIVES, READS and clocks of an index against slang's elaboration of the same design.

    python -m hdlgraph.eval.structural.signals REPO INDEX TOP [TOP ...] [--worst N]

Compared are pairs of a signal and the place that drives or reads it: a process, a continuous
assignment, or a port of an instance. Only places that are elaborated count: what stands in a
generate branch that is not taken, in an unknown module, in a routine or in an expression that slang
could not make sense of is left out on both sides, as are members of interfaces and variables of a
process.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.cells import CellTruth
from hdlgraph.eval.structural.elaborated import Elaborated, for_tops, say
from hdlgraph.eval.structural.truth import Place, UnitTruth, truth
from hdlgraph.project import Project

Pairs = set[tuple[str, Place]]


def ours(project: Project, unit_id: str, seen: UnitTruth) -> tuple[Pairs, Pairs]:
    """Returns the (signal, place) pairs that the index says drive and read, where slang looked."""
    design = project._signals()
    view = design.view(design.flows.by_id[unit_id])
    ranges = sorted((place.line, last) for place, last in seen.places.items() if not place.port)
    lines = {child.name: child.line for child in view.flow.children}
    drives: Pairs = set()
    reads: Pairs = set()
    row = design.flows.by_id[unit_id]
    for signal in sorted({*view.lines, *view.linked}):
        is_port = view.ports.get(signal, ("", 0, ""))[0] == "interface"
        if is_port or not design.has(row, signal) or design.is_interface(row, signal):
            continue
        alike = (signal, *view.scopes.wholes(signal))  # slang's names have no blocks here
        for looked, into in ((project.drivers, drives), (project.loads, reads)):
            for one in (place for name in alike for place in looked(unit_id, name)):
                place = _place(one, ranges, lines)
                if place in seen.places:
                    into.add((signal, place))
    return drives, reads


def _place(one: Any, ranges: list[tuple[int, int]], lines: dict[str, int]) -> Place:
    if one.how == "instance":
        return Place(lines.get(one.instance, 0), one.port)
    if one.how in ("port", "assert", "function", "task", "initial", "final"):
        return Place(-1)
    fitting = [first for first, last in ranges if first <= one.line <= last]
    return Place(max(fitting)) if fitting else Place(-1)


class Score:
    """Counts of pairs that both have, and of those that one side alone has."""

    def __init__(self) -> None:
        self.both = self.missed = self.extra = 0
        self.worst: Counter[str] = Counter()
        self.examples: list[str] = []

    def add(self, unit: str, path: str, true: Pairs, found: Pairs) -> None:
        """Adds one unit."""
        self.both += len(true & found)
        self.missed += len(true - found)
        self.extra += len(found - true)
        self.worst[unit] += len(true ^ found)
        for sign, rest in (("missed", true - found), ("extra", found - true)):
            self.examples += [
                f"{sign} {unit}.{name} {path}:{place.line} {place.port}"
                for name, place in sorted(rest)
            ]

    def __str__(self) -> str:
        recall = self.both / max(1, self.both + self.missed)
        precision = self.both / max(1, self.both + self.extra)
        return f"{self.both + self.missed} pairs, recall {recall:.4f}, precision {precision:.4f}"


def clocks_known(
    project: Project, unit_id: str, clocked: dict[str, set[tuple[str, ...]]], examples: list[str]
) -> tuple[int, int]:
    """Returns (registers whose clock is told, registers) of a unit; adds the others to a list."""
    clocks: dict[str, set[str]] = {}
    for clock in project.clocks(unit_id):
        for name in clock.registers:
            clocks.setdefault(name.partition(".")[0], set()).add(clock.signal)
    wrong = [
        f"no clock of {name} in {unit_id}, {sorted(events)} expected"
        for name, events in sorted(clocked.items())
        if not any(clocks.get(name, set()) & set(one) for one in events)
    ]
    examples += wrong
    return len(clocked) - len(wrong), len(clocked)


def measure(root: Path, index: Path, top: str, worst: int = 0) -> None:
    """Prints the figures of one top."""
    project = Project(root, index)
    design = Elaborated(project, top)
    known = project._signals().flows.by_id
    drives, reads = Score(), Score()
    clocked = registers = units = 0
    cells, in_cells = CellTruth(design).registers(), [0, 0]
    for (path, name), seen in sorted(truth(design).items()):
        unit_id = next((one for one in known if one.endswith(f":{path}#{name}")), "")
        if not unit_id:
            continue
        units += 1
        found = ours(project, unit_id, seen)
        drives.add(name, path, seen.drives, found[0])
        reads.add(name, path, seen.reads, found[1])
        right, all_ = clocks_known(project, unit_id, seen.clocked, drives.examples)
        clocked, registers = clocked + right, registers + all_
        of_cells: dict[str, set[tuple[str, ...]]] = {
            net: {(clock,) for clock in own} for net, own in cells.get((path, name), {}).items()
        }
        for at, count in enumerate(clocks_known(project, unit_id, of_cells, drives.examples)):
            in_cells[at] += count
    say(f"{top}: {len(design.files)} files, {design.errors} errors, {units} units")
    say(f"  DRIVES {drives}")
    say(f"  READS  {reads}")
    say(f"  clock known of {clocked} of {registers} registers of processes")
    say(f"  clock known of {in_cells[0]} of {in_cells[1]} registers of cells")
    for score in (drives, reads):
        for line in score.examples[:worst]:
            say(f"    {line}")


@telling_errors
def main() -> None:
    """Runs the measurement."""
    for_tops(__doc__, measure)


if __name__ == "__main__":
    raise SystemExit(main())
