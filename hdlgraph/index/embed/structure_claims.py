"""Decides which files may be called a well-known structure: only where several signs agree.

A name alone says too little: `sha512_core` has the words of a SHA core, `alert_decoder` those of a
decoder, and neither is a SHA-256 core or an address decoder. A file is called a structure when

1. its own name, or its main unit's, is a spelling of the structure and nothing else: what is left
   over is the prefix of the project or family, a number, or a word that any name may have;
2. the structure's own name stands in that name as well, or as a phrase in a comment of the file;
3. the file says one more word of the structure's descriptions or of another spelling;
4. it is hardware, or the structure is part of a testbench and so is the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np

from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.projects import Projects
from hdlgraph.knowledge.structures import Structure
from hdlgraph.model import FileRecord, Role, Unit
from hdlgraph.words import STOP_WORDS, split_identifier, stem

FAMILY = 3  # files whose names begin with the same word, which then is a prefix
LEAST_LETTERS = 4  # of a word of a description that counts as a sign
SIGNS = 2  # words of descriptions or other spellings that a file must say besides
_PLAIN = frozenset(
    stem(w)
    for w in """a an and of the to block unit core module circuit logic cell generic simple basic
        main top wrapper wrap impl rtl v i o inst lib common prim v1 v2 sv""".split()
)
"""Words that any name may have."""
_SILENT = frozenset(stem(w) for w in "unit block circuit logic the of and".split())
"""Words of a structure's name that a file's name may leave out."""
_VAGUE = frozenset(
    stem(w)
    for w in """bits bit bytes byte words word data value values number numbers signal signals
        clock reset input output into from with when that which each their other another time
        other after before same several whole part parts made make keeps kept holds hold""".split()
)
"""Words of descriptions that most files say."""
_TESTS = re.compile(
    r"\b(?:uvm|test\w*|bench|scoreboard|monitor|sequence|sequencer|agent|coverage|assert\w*|assum\w*"
    r"|formal|checker|stimul\w*|environment|driver class|reference model|simulat\w*)\b",
    re.I,
)
_TEST_ROLES = frozenset({Role.TESTBENCH, Role.FORMAL})
_DESIGN_ROLES = frozenset({Role.RTL, Role.GENERATED, Role.VENDORED})


_Name = tuple[tuple[str, frozenset[str]], ...]
"""The parts of a name: each stemmed, and the stemmed words of its long form."""


class _File:
    """The stemmed words of a file: of each of its names, and all that it says besides.

    What it says besides is found when it is asked for: most names are a spelling of nothing, and
    to stem all comments of a repository would take a second of every run.

    Args:
        record: the facts of the file.
        is_family: whether FAMILY files have a name that begins with the same word.
        projects: the project tables in force.
    """

    def __init__(self, record: FileRecord, is_family: bool, projects: Projects) -> None:
        own = _own_name(record)
        first = _first(own)
        self._record, self._projects = record, projects
        self._named = [own, *(unit.name for unit in record.units[:1])]
        self.role = record.role
        self.names = tuple(dict.fromkeys(_parts(name, projects) for name in self._named))
        known = _long_stems(first, projects) if is_family else ()
        self.prefixes = frozenset(known)
        self._stated: set[str] = set()
        self._more = iter(_stated_words(record, projects))

    @cached_property
    def words(self) -> frozenset[str]:
        """Returns the words of its names without stemming, which makes `rounding` a `round`."""
        return frozenset(word for name in self._named for word in _long(name, self._projects))

    def has_words(self, words: frozenset[str], least: int) -> bool:
        """Returns whether its comments, or names that its units declare, have `least` of words."""
        found = words & self._stated
        if len(found) >= least:
            return True
        for word in self._more:  # goes on where the former question ended
            self._stated.add(word)
            if word in words:
                found |= {word}
                if len(found) >= least:
                    return True
        return False

    @cached_property
    def comments(self) -> str:
        """Returns the words of its comments in a row, parted by blanks."""
        return _row(self._record)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A structure in stemmed words: its spellings and words of its descriptions.

    `name` has the words of its name, not stemmed. `phrase` is the name with blanks around each
    word; a name of one word is too common in comments to count there, and is no phrase.
    """

    name: frozenset[str]
    phrase: str
    spellings: tuple[frozenset[str], ...]
    signs: frozenset[str]
    tests: bool


def claims(
    records: Sequence[FileRecord],
    known: Sequence[Structure],
    strength: np.ndarray,
    least: float,
    projects: Projects = (),
) -> np.ndarray:
    """Returns which files may be called which structures, bool (structures, files).

    Args:
        records: facts of all files.
        known: the structures.
        strength: float32 (structures, files), how much each file is each structure by its name.
        least: strength below which no file is looked at.
        projects: the project tables in force.
    """
    out = np.zeros(strength.shape, bool)
    likely = strength >= least
    numbers = np.flatnonzero(likely.any(axis=0)).tolist()
    places = {number: np.flatnonzero(likely[:, number]).tolist() for number in numbers}
    for number, claimed in claims_of(records, known, places, projects).items():
        out[claimed, number] = True
    return out


def claims_of(
    records: Sequence[FileRecord],
    known: Sequence[Structure],
    likely: Mapping[int, Sequence[int]],
    projects: Projects = (),
) -> dict[int, list[int]]:
    """Returns which structures some files may be called, by their number.

    Args:
        records: facts of all files.
        known: the structures.
        likely: the places in `known` that each file is likely one of by its name, sorted.
        projects: the project tables in force.
    """
    families = _families([_own_name(record) for record in records]) if likely else []
    asked: dict[int, _Asked] = {}

    def ask(place: int) -> _Asked:
        if place not in asked:
            asked[place] = _asked(known[place])
        return asked[place]

    return {
        number: _claimed(records[number], tuple(places), families[number], projects, ask=ask)
        for number, places in likely.items()
    }


def _families(names: list[str]) -> list[bool]:
    """Returns for each name whether many begin with the same word."""

    def make() -> list[bool]:
        firsts = [_first(name) for name in names]
        often = Counter(firsts)
        return [often[first] >= FAMILY for first in firsts]

    key = msgspec.msgpack.encode(names)
    return of_content("families", key, list[bool], make)


@kept
def _claimed(
    record: FileRecord,
    places: tuple[int, ...],
    is_family: bool,
    projects: Projects,
    *,
    ask: Callable[[int], _Asked],
) -> list[int]:
    """Returns which structures, of those at some places of the table, a file may be called."""
    file = _File(record, is_family, projects)
    return [place for place in places if _is(ask(place), file)]


def _is(asked: _Asked, file: _File) -> bool:
    allowed = _TEST_ROLES if asked.tests else _DESIGN_ROLES
    if file.role not in allowed or not asked.name:
        return False
    named = next((name for name in file.names if _spelt_by(name, asked, file.prefixes)), None)
    if named is None:
        return False
    if not (asked.name <= file.words or asked.phrase in file.comments):
        return False
    return file.has_words(asked.signs - _words(named), SIGNS)


def _spelt_by(name: _Name, asked: _Asked, prefixes: frozenset[str]) -> bool:
    """Returns whether a name is a spelling of a structure and nothing else."""
    free, whole = _PLAIN | prefixes, _words(name)
    for spelling in asked.spellings:
        left = [p for p, long in name if p not in spelling and not (long and long <= spelling)]
        if spelling and spelling <= whole and all(part.isdigit() or part in free for part in left):
            return True
    return False


def _words(name: _Name) -> frozenset[str]:
    """Returns all stemmed words of a name, short and long."""
    return frozenset(part for part, _ in name).union(*(long for _, long in name))


def _asked(structure: Structure) -> _Asked:
    words = {w for text in structure.what for w in _content(text) if len(w) >= LEAST_LETTERS}
    spellings = tuple(frozenset(_stems(p)) - _PLAIN for p in structure.spellings)
    others = frozenset().union(*spellings)
    name = frozenset(w for w in split_identifier(structure.name) if stem(w) not in _SILENT)
    tests = _TESTS.search(structure.name) is not None
    row = _stems(structure.name)
    phrase = f" {' '.join(row)} " if len(row) > 1 else "\n"
    return _Asked(name, phrase, spellings, (frozenset(words) | others) - _VAGUE, tests)


def _own_name(record: FileRecord) -> str:
    return record.path.rsplit("/", 1)[-1].split(".", 1)[0]


def _first(name: str) -> str:
    return next(iter(split_identifier(name)), "")


def _stated_words(record: FileRecord, projects: Projects) -> Iterable[str]:
    """Yields the stemmed words of a file's comments and of what its units declare."""
    for text in _comments(record):
        yield from _content(text)
    for unit in record.units:
        for name in _declared(unit):
            yield from _long_stems(name, projects)


def _comments(record: FileRecord) -> list[str]:
    return [record.header, *(comment.text for comment in record.comments)]


def _row(record: FileRecord) -> str:
    return f" {' '.join(word for text in _comments(record) for word in _stems(text))} "


def _declared(unit: Unit) -> Iterable[str]:
    for group in (unit.ports, unit.parameters, unit.signals, unit.routines, unit.types):
        for item in group:
            yield item.name
    for instance in unit.instances:
        yield instance.name
        yield instance.unit


def _content(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [stem(word) for word in words if word not in STOP_WORDS]


def _stems(text: str) -> list[str]:
    return [stem(part) for part in split_identifier(text)]


def _parts(name: str, projects: Projects) -> _Name:
    known = abbreviations(projects)
    return tuple(
        (stem(part), frozenset(_stems(known.get(part, "")))) for part in split_identifier(name)
    )


def _long_stems(name: str, projects: Projects) -> list[str]:
    return [stem(word) for word in _long(name, projects)]


def _long(name: str, projects: Projects) -> list[str]:
    """Returns the words of an identifier, with the long forms of its short ones."""
    known, parts = abbreviations(projects), split_identifier(name)
    return [*parts, *(word for part in parts for word in split_identifier(known.get(part, "")))]
