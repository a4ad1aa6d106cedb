"""The files of a repository with their facts, and what each of them includes and needs."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.scan import scan_macros
from hdlgraph.parsers.macros.table import MacroTable
from hdlgraph.parsers.text.directives import includes_of
from hdlgraph.parsers.text.source import without_comments

LARGEST = 2_000_000
"""Larger files are left out."""


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
            home = min(homes, key=lambda one: (steps_between(one, path), one), default=None)
            if home and home not in seen:
                self._need(home, order, seen)
        order.append(path)


def _included(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [one for one, _ in includes_of(without_comments(text))]


def steps_between(one: str, other: str) -> int:
    """Returns how many steps up and down lead from one path to another, the file names included."""
    left, right = one.split("/"), other.split("/")
    same = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    return len(left) + len(right) - 2 * same
