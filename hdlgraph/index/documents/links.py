"""Links passages to the design: units and files that they mention, and what describes a unit."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hdlgraph.model.paths import shared_folders
from hdlgraph.store.design.registers import Register, RegisterBlock
from hdlgraph.store.documents.homes import NAMED, described_by, home_of
from hdlgraph.store.documents.records import (
    DESCRIBED_BY,
    DOC,
    IMPLEMENTS,
    MENTIONS,
    Contents,
    Link,
)

LINKS = 20
"""Links of one kind that a passage has."""
RTL = 5
"""Lines of RTL that are linked to a register."""
IN_TITLE, MARKED, PLAIN = 1.0, 0.7, 0.4
"""Weights of a mention: in a title, as code or a path, and among other words."""
_MARKED = re.compile(r"`{1,2}([A-Za-z_][\w./-]{1,200})`{1,2}")
_TARGET = re.compile(r"\]\(([^()\s]{1,300})\)")
_NAME = re.compile(r"[A-Za-z_]\w{2,100}")
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]{1,60}\b")
_COINED = re.compile(r"_[a-z0-9]|[a-z][A-Z]|\d")
"""What distinguishes an identifier from a word of English."""


class Unit(NamedTuple):
    """A design unit, and where it is defined."""

    name: str
    path: str
    line: int


def read_units(generation: Path) -> list[Unit]:
    """Returns the design units of a generation; none where it has no graph."""
    import numpy as np

    from hdlgraph.graph.graph import read_nodes
    from hdlgraph.model.kinds import UNIT_KINDS

    table = read_nodes(generation)
    kinds, codes = table.coded("kind")
    wanted = {str(kind) for kind in UNIT_KINDS}
    rows = np.flatnonzero(np.asarray([kind in wanted for kind in kinds], bool)[codes])
    if not len(rows):
        return []
    columns = (table.picked(name, rows) for name in ("name", "path", "line"))
    return [Unit(name, path, line) for name, path, line in zip(*columns, strict=True) if path]


def links_of(
    contents: Contents, units: Iterable[Unit], files: Iterable[str], blocks: Sequence[RegisterBlock]
) -> tuple[Link, ...]:
    """Returns the links of all passages, sorted by passage.

    Args:
        contents: the documents and passages.
        units: the design units.
        files: paths of the design's files.
        blocks: the registers, those with the same descriptions as in `contents`.
    """
    names: dict[str, list[Unit]] = {}
    for unit in units:
        names.setdefault(unit.name, []).append(unit)
    finder = _Finder(names, frozenset(files), blocks)
    registers = {
        (block.path, f"{block.name}.{one.name}"): one for block in blocks for one in block.registers
    }
    found: list[Link] = []
    for number, passage in enumerate(contents.passages):
        path = contents.documents[passage.places[0].document].path
        if passage.kind == DOC:
            found += _bounded(finder.links(number, path, passage.title, passage.text))
        elif (register := registers.get((path, passage.title))) is not None:
            found += _implementing(number, register)
    return tuple(found)


def _bounded(links: Iterable[Link]) -> list[Link]:
    """Returns the links that count most, each target once in a kind."""
    best: dict[tuple[str, str, str], Link] = {}
    for link in links:
        key = link.kind, link.name, link.path
        if key not in best or best[key].weight < link.weight:
            best[key] = link
    out: list[Link] = []
    for kind in (DESCRIBED_BY, MENTIONS):
        mine = [link for link in best.values() if link.kind == kind]
        out += sorted(mine, key=lambda link: (-link.weight, link.path, link.line))[:LINKS]
    return out


def _implementing(number: int, register: Register) -> list[Link]:
    """Returns the lines of RTL behind a register: what holds it first, then what uses it."""
    lines = [*register.rtl, *(line for field in register.fields for line in field.rtl)]
    order = {"implements": 0, "writes": 1, "reads": 2, "declares": 3}
    lines.sort(key=lambda line: (order.get(line.how, 4), line.path, line.line))
    seen: dict[tuple[str, str], Link] = {}
    for line in lines:  # one line of each file and manner says enough
        weight = 1.0 if line.how == "implements" else 0.8
        link = Link(IMPLEMENTS, number, line.name, line.path, line.line, weight)
        seen.setdefault((line.path, line.how), link)
    return list(seen.values())[:RTL]


class _Finder:
    """Finds units and files in texts.

    Args:
        names: the units of each name.
        files: paths of the design's files.
        blocks: the registers.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[Unit]],
        files: frozenset[str],
        blocks: Sequence[RegisterBlock] = (),
    ) -> None:
        self._names, self._files = names, files
        self._homes: dict[str, dict[str, Link]] = {}
        for block in blocks:
            known = self._homes.setdefault(described_by(block.path), {})
            for one in block.registers:
                link = Link(MENTIONS, 0, f"{block.name}.{one.name}", block.path, one.line, MARKED)
                known.setdefault(one.name.upper(), link)
        bases: dict[str, list[str]] = {}
        for path in sorted(files):
            bases.setdefault(path.rpartition("/")[2], []).append(path)
        self._bases = bases

    def links(self, number: int, path: str, title: str, text: str) -> Iterator[Link]:
        """Yields the links of a section, some of them several times."""
        stem = path.rpartition("/")[2].partition(".")[0]
        for name in _NAME.findall(title):
            # The title of a section may be an English word: such a unit lies near the document.
            for unit in self._units(name, path, near=not _COINED.search(name)):
                yield Link(DESCRIBED_BY, number, name, unit.path, unit.line, IN_TITLE)
        if not path.startswith(NAMED):
            for unit in self._units(stem, path):
                yield Link(DESCRIBED_BY, number, stem, unit.path, unit.line, MARKED)
        yield from self._registers(number, path, f"{title}\n{text}")
        for word in {*_MARKED.findall(text), *_TARGET.findall(text)}:
            for target in self._file(word, path):
                yield Link(MENTIONS, number, target, target, 1, MARKED)
        for word in sorted(set(_MARKED.findall(f"{title} {text}"))):
            for unit in self._units(word, path, near=not _COINED.search(word)):
                yield Link(MENTIONS, number, word, unit.path, unit.line, MARKED)
        for word in sorted(set(_NAME.findall(text))):
            if _COINED.search(word):
                for unit in self._units(word, path):
                    yield Link(MENTIONS, number, word, unit.path, unit.line, PLAIN)

    def _registers(self, number: int, document: str, text: str) -> Iterator[Link]:
        """Yields the registers of the block that a document lies beside, by names in capitals."""
        home = home_of(document)
        while home and home not in self._homes:
            home = home.rpartition("/")[0]
        known = self._homes.get(home, {})
        for word in dict.fromkeys(_CAPITALS.findall(text) if known else ()):
            if word in known:
                yield known[word]._replace(passage=number)

    def _units(self, name: str, document: str, near: bool = False) -> Sequence[Unit]:
        """Returns the unit of a name that lies nearest to a document, none without one."""
        found = self._names.get(name, ())
        home = home_of(document)
        if near:
            inside = f"{home}/" if home and not home.startswith(NAMED) else "\0"
            found = [unit for unit in found if unit.path.startswith(inside)]
        if not found:
            return ()
        return (min(found, key=lambda unit: (-shared_folders(unit.path, document), unit.path)),)

    def _file(self, word: str, document: str) -> Sequence[str]:
        """Returns the file that a path means: from the document on, from the root, or its name."""
        bare = word.partition("#")[0]
        if "." not in bare:
            return ()
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(document), bare))
        for target in (beside, bare.lstrip("./")):
            if target in self._files:
                return (target,)
        known = self._bases.get(bare.rpartition("/")[2], ())
        if len(known) == 1 and "/" not in bare:
            return known[:1]
        return ()
