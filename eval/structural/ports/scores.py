"""Compares the ports and signals of units with those that elaboration finds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from hdlgraph.eval.structural.ports.corpus import Corpus
from hdlgraph.eval.structural.ports.truth import Truth, elaborated
from hdlgraph.model import FileRecord, Port, Signal, Unit

_UNITS = ("module", "interface", "program")
_DEFINED = re.compile(r"`define[ \t]+([A-Za-z_]\w*)")


@dataclass(slots=True)
class Score:
    """How many names both have, how many are missing from the facts, how many are too many."""

    same: int = 0
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    def line(self, what: str) -> str:
        """Returns the score as a line of text."""
        recall = self.same / max(self.same + len(self.missing), 1)
        precision = self.same / max(self.same + len(self.extra), 1)
        return f"{what:18} recall {recall:.4f} precision {precision:.4f} of {self.same}"


def holds(condition: str, defined: Collection[str], doubtful: Collection[str]) -> bool | None:
    """Returns whether a condition holds, None where a header may decide it."""
    result: bool | None = True
    for part in condition.split(" && ") if condition else ():
        name = part.lstrip("!")
        if name in doubtful or not name.isidentifier():
            result = None
        elif (name in defined) == part.startswith("!"):
            return False
    return result


@dataclass(frozen=True, slots=True)
class Case:
    """A set of defines, the macros that a header may define too, and the lines that use macros."""

    defined: tuple[str, ...]
    doubtful: frozenset[str]
    expanded: frozenset[int]

    def holds(self, fact: Port | Signal) -> bool | None:
        """Returns whether a fact is there, None where that cannot be decided."""
        sure = holds(fact.condition, self.defined, self.doubtful)
        return None if sure and fact.line in self.expanded else sure


def compare(unit: Unit, truth: Truth, case: Case, scores: dict[str, Score], where: str) -> None:
    """Adds one unit to the scores."""
    mine = [port for port in unit.ports if case.holds(port) is not False]
    certain = {port.name for port in mine if case.holds(port)}
    listed = list(dict.fromkeys(port.name for port in mine))
    theirs = [name for name, _ in truth.ports]
    _count(scores["ports"], set(listed), set(theirs), certain, where)
    if set(listed) == set(theirs):
        ways = dict(truth.ports)
        moved = [a for a, b in zip(listed, theirs, strict=True) if a != b]
        scores["port order"].same += len(theirs) - len(moved)
        scores["port order"].missing += [f"{where}.{name}" for name in moved]
        for port in mine:
            right = ways[port.name] == port.direction or case.holds(port) is None
            score = scores["port direction"]
            score.same += right
            if not right:
                score.missing.append(f"{where}.{port.name} {port.direction}/{ways[port.name]}")
    signals = [s for s in unit.signals if case.holds(s) is not False and s.name not in theirs]
    certain = {
        s.name
        for s in signals
        if case.holds(s) and not any(a <= s.line <= b for a, b in truth.empty)
    }
    _count(scores["signals"], {s.name for s in signals}, truth.signals, certain, where)


def _count(score: Score, mine: set[str], theirs: set[str], certain: set[str], where: str) -> None:
    score.same += len(mine & theirs)
    score.missing += [f"{where}.{name}" for name in sorted(theirs - mine)]
    score.extra += [f"{where}.{name}" for name in sorted((mine - theirs) & certain)]


def _cases(corpus: Corpus, path: str) -> Iterator[Case]:
    record = corpus.records[path]
    asked = {part.lstrip("!") for c in record.conditions for part in c.split(" && ")}
    asked = {name for name in asked if name.isidentifier()}
    defined: set[str] = set()
    for one in (path, *corpus.headers(path)):
        text = (corpus.root / one).read_text(encoding="utf-8", errors="replace")
        defined |= set(_DEFINED.findall(text))
    lines = (corpus.root / path).read_text(encoding="utf-8", errors="replace").split("\n")
    expanded = frozenset(n for n, line in enumerate(lines, 1) if "`" in line)
    yield Case((), frozenset(defined), expanded)
    if asked - defined:
        yield Case(tuple(sorted(asked - defined)), frozenset(defined), expanded)


def measure(corpus: Corpus, every: int = 1) -> tuple[dict[str, Score], Counter[str]]:
    """Returns the scores of a repository, and how many units were compared or not found."""
    names = ("ports", "port order", "port direction", "signals")
    scores = {name: Score() for name in names}
    counts: Counter[str] = Counter()
    for path, record in sorted(corpus.records.items()):
        chosen = int(hashlib.md5(path.encode(), usedforsecurity=False).hexdigest(), 16) % every == 0
        if not chosen or not any(unit.kind in _UNITS for unit in record.units):
            continue
        for case in _cases(corpus, path):
            truths = elaborated(corpus, path, case.defined)
            if truths is None:
                counts["files that slang rejects"] += 1
                continue
            counts["with defines" if case.defined else "without defines"] += len(truths)
            counts["not found"] += _file(record, case, truths, scores)
    return scores, counts


def _file(
    record: FileRecord,
    case: Case,
    truths: dict[tuple[str, int], Truth],
    scores: dict[str, Score],
) -> int:
    """Adds the units of one file to the scores; returns how many have no facts."""
    by_place = {(unit.name, unit.line): unit for unit in record.units}
    by_name = {unit.name: unit for unit in record.units}
    missing = 0
    for (name, line), truth in truths.items():
        unit = by_place.get((name, line)) or by_name.get(name)
        if unit is None:
            missing += 1
        else:
            compare(unit, truth, case, scores, f"{record.path}:{line} {name}")
    return missing
