"""Measures ports and signals of modules against slang's elaboration, with and without defines.

Usage: python -m hdlgraph.eval.structural.ports FOLDER... [--every N] [--show N]

Each file with a module is elaborated with the packages that it imports, once with no macro
defined and once with all that its `ifdefs ask for. What a unit declares there is compared with its
facts, those whose condition holds: ports in their order and with their direction, signals by name.
Where a header decides a condition, or what a macro stands for, or where a generate loop makes
nothing, facts count for recall alone. Macros that a file uses and does not include are those of
any file that defines them. A file that slang rejects with its defines is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import FileRecord, Port, Signal, Unit
from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.scan import scan_macros
from hdlgraph.parsers.macros.table import MacroTable
from hdlgraph.parsers.text.directives import includes_of
from hdlgraph.parsers.text.source import without_comments

LARGEST = 2_000_000
"""Larger files are left out."""
_UNITS = ("module", "interface", "program")
_DEFINED = re.compile(r"`define[ \t]+([A-Za-z_]\w*)")
_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


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


class Corpus:
    """The files of a repository and their facts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = sorted(
            path.relative_to(root).as_posix()
            for path in root.rglob("*")
            if path.name.endswith(RTL_SUFFIXES) and path.is_file() and not path.is_symlink()
        )
        self.includes = IncludeIndex(paths)
        small = [path for path in paths if (root / path).stat().st_size < LARGEST]
        self._named = {path: _included(root / path) for path in small}
        scans = {path: scan_macros((root / path).read_bytes()) for path in small}
        self._scans = scans
        table = MacroTable(scans)
        lent = {
            path: table.borrowed(path, self.headers(path)) for path in small if table.wanted(path)
        }
        self._defined = {one.name: one for path in small[::-1] for one in scans[path].defines}
        extractor = Extractor(root, self.includes, borrowed=lent)
        self.records = {path: extractor.extract(path, "", "rtl") for path in small}
        self.packages: dict[str, list[str]] = {}
        for path, record in self.records.items():
            for unit in record.units:
                if unit.kind == "package":
                    self.packages.setdefault(unit.name, []).append(path)

    def headers(self, path: str) -> set[str]:
        """Returns the files that a file includes, at any depth."""
        found: set[str] = set()
        waiting = [path]
        while waiting:
            one = waiting.pop()
            for name in self._named.get(one, ()):
                at = self.includes.resolve(one, name)
                if at and at not in found:
                    found.add(at)
                    waiting.append(at)
        return found

    def macros(self, path: str) -> list[str]:
        """Returns the texts of the macros that a file uses and does not know.

        Of several definitions it is the first one by path: ports do not hang on which.
        """
        inside = [self._scans[one] for one in (path, *self.headers(path)) if one in self._scans]
        known = {one.name for scan in inside for one in scan.defines}
        waiting = sorted({name for scan in inside for name in scan.uses} - known)
        found: dict[str, str] = {}
        while waiting:
            one = self._defined.get(waiting.pop())
            if one is not None and one.name not in found and one.name not in known:
                found[one.name] = one.text
                waiting += one.uses
        return [found[name] for name in sorted(found)]

    def needed(self, path: str) -> list[str]:
        """Returns the files of the packages that a file imports, those they import first."""
        order: list[str] = []
        seen: set[str] = set()
        self._need(path, order, seen)
        return order[:-1]

    def _need(self, path: str, order: list[str], seen: set[str]) -> None:
        seen.add(path)
        files = (path, *sorted(self.headers(path)))
        records = [self.records[one] for one in files if one in self.records]
        names = {name for r in records for name, _ in r.imports}
        names |= {name for r in records for unit in r.units for name, _ in unit.imports}
        for name in sorted(names):
            homes = self.packages.get(name, ())
            home = min(homes, key=lambda one: (_steps(one, path), one), default=None)
            if home and home not in seen:
                self._need(home, order, seen)
        order.append(path)


def _included(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [one for one, _ in includes_of(without_comments(text))]


def _steps(one: str, other: str) -> int:
    left, right = one.split("/"), other.split("/")
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    return len(left) + len(right) - 2 * same


@dataclass(slots=True)
class Truth:
    """What elaboration says of a unit: (name, direction) of ports, names of nets and variables.

    `empty` are the first and last lines of generate loops that make nothing.
    """

    ports: list[tuple[str, str]]
    signals: set[str]
    empty: list[tuple[int, int]] = field(default_factory=list)


def elaborated(
    corpus: Corpus, path: str, defines: Sequence[str]
) -> dict[tuple[str, int], Truth] | None:
    """Returns what elaboration says of the units of a file, by name and line.

    None where slang cannot read the file with these defines.
    """
    import pyslang
    from pyslang import ast, parsing, syntax

    files = [*corpus.needed(path), path]
    manager = pyslang.SourceManager()
    options = parsing.PreprocessorOptions()
    options.predefines = [f"{name}=1" for name in defines]
    folders = {
        (corpus.root / one).parent for file in files for one in (file, *corpus.headers(file))
    }
    folders |= {up for folder in tuple(folders) for up in folder.parents[:3]}
    inside = [folder for folder in folders if corpus.root in (folder, *folder.parents)]
    near = sorted(
        inside, key=lambda one: (_steps(one.as_posix(), str(corpus.root / path)), str(one))
    )
    options.additionalIncludePaths = [str(folder) for folder in near]
    bag = pyslang.Bag([options])
    compilation = ast.Compilation(bag)
    for number, file in enumerate(files):
        # Macros of files that this one does not include, on its first line to keep its lines.
        before = f"{near[0]}/\x01{number}.svh"
        manager.assignText(before, "".join(f"`define {one}\n" for one in corpus.macros(file)))
        text = (corpus.root / file).read_text(encoding="utf-8", errors="replace")
        text = f'`include "{before}" ' + text
        buffer = manager.assignText(str(corpus.root / file), text)
        tree = syntax.SyntaxTree.fromBuffer(buffer, manager, bag)
        compilation.addSyntaxTree(tree)
    if any(one.isError() for one in tree.diagnostics):
        return None
    found: dict[tuple[str, int], Truth] = {}
    for top in compilation.getRoot().topInstances:
        _walk(top, corpus.root / path, manager, found)
    return found


def _walk(instance: Any, path: Path, manager: Any, found: dict[tuple[str, int], Truth]) -> None:
    from pyslang.ast import SymbolKind

    waiting = [instance]
    while waiting:
        one = waiting.pop()
        at = one.definition.location
        key = (one.definition.name, manager.getLineNumber(at))
        truth = Truth([], set())
        scopes: list[Any] = [one.body]
        while scopes:
            for member in scopes.pop():
                kind = member.kind
                if kind in (SymbolKind.GenerateBlock, SymbolKind.GenerateBlockArray):
                    scopes.append(member)
                    if kind == SymbolKind.GenerateBlockArray and not any(
                        inner.kind == SymbolKind.GenerateBlock for inner in member
                    ):
                        span = member.syntax.sourceRange
                        lines = [manager.getLineNumber(one) for one in (span.start, span.end)]
                        truth.empty.append((lines[0], lines[1]))
                elif kind == SymbolKind.Instance:
                    waiting.append(member)
                elif kind in (SymbolKind.Variable, SymbolKind.Net) and member.name:
                    truth.signals.add(member.name)
        for port in one.body.portList:
            way = str(getattr(port, "direction", "interface")).rpartition(".")[2]
            truth.ports.append((port.name, _DIRECTIONS.get(way, way)))
        truth.signals -= {name for name, _ in truth.ports}
        if manager.getFullPath(at.buffer).resolve() == path.resolve():
            found.setdefault(key, truth)


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


def main() -> None:
    """Prints the scores of the folders."""
    parser = argparse.ArgumentParser(description="ports and signals against elaboration")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="one of so many files")
    parser.add_argument("--show", type=int, default=0, help="differences to print of each kind")
    asked = parser.parse_args()
    write = sys.stdout.write
    for folder in asked.folders:
        scores, counts = measure(Corpus(folder.resolve()), asked.every)
        write(f"{folder.name} {dict(sorted(counts.items()))}\n")
        for name, score in scores.items():
            write(f"  {score.line(name)}\n")
            for sign, listed in (("-", score.missing), ("+", score.extra)):
                for one in listed[: asked.show]:
                    write(f"    {sign} {one}\n")


if __name__ == "__main__":
    main()
