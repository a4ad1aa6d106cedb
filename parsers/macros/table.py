"""Tells which macros a file may take from files that it does not include.

Compilers know a macro that a file before has defined. Here the order is not known, so a file takes
a macro only where all files of the repository that define it mean the same by it, and where the
macros that it needs can be had too.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Mapping

import msgspec

from hdlgraph.parsers.macros.scan import PASTED, VALUE, Definition, MacroScan

INSIDE = "inside"
MOST = 200
"""Macros that one file takes from others."""


class Borrowed(msgspec.Struct, frozen=True, array_like=True):
    """A macro that a file may take from another one: its text from the name on, and its file.

    `means` is what it stands for (see `Definition`), or `INSIDE` where the text of a macro needs it
    that the file has; `needs` are the macros that its own text needs.
    """

    name: str
    text: str
    path: str
    means: str
    needs: tuple[str, ...]


class MacroTable:
    """The macros that one repository defines in one way only.

    Args:
        scans: what each file says of macros, by path.
        known: macros that settings or filelists define.
    """

    def __init__(self, scans: Mapping[str, MacroScan], known: Iterable[str] = ()) -> None:
        self._scans = dict(scans)
        self._known = frozenset(known)
        self._single = _single(scans)
        self._names = sorted(self._single)
        more = {name for name, (_, one) in self._single.items() if one.means != VALUE}
        self._lent = more - self._known
        needy = {one.name for scan in scans.values() for one in scan.defines if one.uses}
        self._all = self._lent | needy
        """Macros that may make a file take some: they are lent, or their text uses others."""

    def add(self, path: str, scan: MacroScan) -> None:
        """Takes note of a file that defines no macro and takes none back."""
        self._scans[path] = scan

    def wanted(self, path: str) -> bool:
        """Returns whether a file uses a macro that it may have to take from another one."""
        scan = self._scans.get(path)
        return scan is not None and scan.has_units and not self._all.isdisjoint(scan.uses)

    def borrowed(self, path: str, headers: Collection[str]) -> tuple[Borrowed, ...]:
        """Returns the macros that a file takes from others, by name.

        Args:
            path: of the file.
            headers: the files that it includes at any depth.
        """
        scan = self._scans[path]
        inside = [self._scans[one] for one in {path, *headers} if one in self._scans]
        known = self._known.union(*({one.name for one in part.defines} for part in inside))
        found: dict[str, Borrowed] = {}
        inner = _needed_inside(scan.uses, inside) - known
        for name in sorted((scan.uses & self._lent | inner) - known - scan.asked):
            needed = self._needed(name, known) if name in self._single else None
            if needed is None or len(found) + len(needed) > MOST:
                continue
            for one in needed:
                if one not in found:
                    found[one] = self._lend(one, self._needed(one, known) or [], one in inner)
        return tuple(found[name] for name in sorted(found))

    def _lend(self, name: str, needed: Iterable[str], inside: bool) -> Borrowed:
        path, one = self._single[name]
        needs = tuple(inner for inner in needed if inner != name)
        return Borrowed(name, one.text, path, INSIDE if inside else one.means, needs)

    def _needed(self, name: str, known: Collection[str]) -> list[str] | None:
        """Returns a macro and those that its text needs; None where one cannot be had."""
        needed, waiting = {name}, [name]
        while waiting:
            _, one = self._single[waiting.pop()]
            for inner in self._inner(one):
                if inner in needed or inner in known:
                    continue
                if inner not in self._single or len(needed) > MOST:
                    return None
                needed.add(inner)
                waiting.append(inner)
        return sorted(needed)

    def _inner(self, one: Definition) -> list[str]:
        """Returns the macros that a text uses, with all that it may paste a name of."""
        found: list[str] = []
        for name in one.uses:
            if name.endswith(PASTED):
                found += self._beginning(name[: -len(PASTED)])
            else:
                found.append(name)
        return found

    def _beginning(self, prefix: str) -> list[str]:
        """Returns the macros whose name begins with a prefix; none where they are too many."""
        at = bisect.bisect_left(self._names, prefix)
        found = self._names[at : at + MOST // 2 + 1]
        found = [name for name in found if name.startswith(prefix) and name != prefix]
        return found if len(found) <= MOST // 2 else []


def _single(scans: Mapping[str, MacroScan]) -> dict[str, tuple[str, Definition]]:
    """Returns the macros that all definitions agree on, each with the first path that has it."""
    found: dict[str, tuple[str, Definition]] = {}
    keys: dict[str, str] = {}
    bad: set[str] = set()
    for path in sorted(scans):
        scan = scans[path]
        bad |= scan.undefines
        for one in scan.defines:
            former = found.setdefault(one.name, (path, one))
            if former[1] is one or former[1].text == one.text:
                continue
            if keys.setdefault(one.name, former[1].key) != one.key:
                bad.add(one.name)
    return {name: one for name, one in found.items() if name not in bad and one[1].text}


def _needed_inside(used: Collection[str], inside: Collection[MacroScan]) -> set[str]:
    """Returns the macros that the text of macros needs which a file uses and has."""
    texts = {one.name: one.uses for scan in inside for one in scan.defines if one.uses}
    found: set[str] = set()
    waiting = [name for name in used if name in texts]
    while waiting:
        for name in texts[waiting.pop()]:
            if name not in found and not name.endswith(PASTED):
                found.add(name)
                waiting += [name] if name in texts else []
    return found
