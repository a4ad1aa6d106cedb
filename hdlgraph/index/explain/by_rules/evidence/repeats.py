"""Finds the sentences that many files of a repository share: licences, banners, templates.

A sentence is known by its words alone: years, versions and numbers do not count, nor does the name
of the file or of its units. Copies of one file count once, as their names are the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np

from hdlgraph.index.explain.by_rules.evidence.header import told
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.kept.columns import Columns
from hdlgraph.index.kept.functions import kept
from hdlgraph.model import FileRecord, Unit

MANY = 6
"""Files of different names that make a sentence a repeated one, in a repository of any size."""
SMALL = 12
"""Files of a repository below which half of them are enough (but for 3)."""
BANNER = 0.2
"""Share of the files from which a sentence is a licence or a banner, whatever it says."""
FEW_PLACES = 3
"""Folders of two levels from which a sentence is not that of one family of files."""
_UNITS = 4  # whose comments introduce a file
_TOKEN = re.compile(r"[a-z_][a-z0-9_.]*|\d+")
_MONTHS = frozenset(
    """jan feb mar apr may jun jul aug sep oct nov dec january february march april june july
    august september october november december""".split()
)
_FORMAL = re.compile(
    r"\b(licen[cs]\w*|copyright\w*|warrant\w*|liab\w*|generat(?:ed|or)|created|version|tools?"
    r"|edit(?:ed|ing)?|template|vivado|quartus|author\w*|universit\w*|project|property|rights"
    r"|permission\w*|redistribut\w*|terms|contact|source location|website|visit|https?)\b",
    re.I,
)


@kept
def introduction(record: FileRecord) -> tuple[str, ...]:
    """Returns the sentences that introduce a file: of its head and of its units, each once."""
    texts = [record.header, *(unit.comment for unit in record.units[:_UNITS])]
    return tuple(dict.fromkeys(text for source in texts if source for text in told(source)))


def of_other_units(record: FileRecord) -> dict[str, str]:
    """Returns sentence -> unit for those that introduce a further unit of the file alone.

    What stands at the head of a file is about all of it, unless the main unit has its own words.
    """
    main = main_unit(record)
    if main is None:
        return {}
    own = {*told(main.comment or record.header)}
    others = [unit for unit in record.units[:_UNITS] if unit is not main and not unit.parent]
    return {text: unit.name for unit in others for text in told(unit.comment) if text not in own}


def main_unit(record: FileRecord) -> Unit | None:
    """Returns the unit named like the file, else the longest top-level one."""
    top = [unit for unit in record.units if not unit.parent]
    same = [unit for unit in top if unit.name == stem_of(record.path)]
    longest = sorted(top, key=lambda unit: (unit.line - unit.end_line, unit.line))
    return next(iter(same or longest), None)


def stem_of(path: str) -> str:
    """Returns a file's name without folders and extensions."""
    return path.rpartition("/")[2].partition(".")[0]


_Many = tuple[int, list[tuple[int, int, int]]]
"""How many names files have, and each sentence that many files say: its digest, how many, and from
how many folders, FEW_PLACES for more."""


class Repeats:
    """How many files of a repository say each sentence.

    Args:
        records: facts of all files.
    """

    def __init__(self, records: Sequence[FileRecord] = ()) -> None:
        self._records = records
        self._columns = Columns("sentences", records, _numbers_of)
        self._counted = self._of_last_run() or self._all()
        self._columns.note(self._counted)

    @property
    def state(self) -> bytes:
        """Returns all that `repeated` takes from others than its file."""
        return self._counted

    @cached_property
    def _total(self) -> int:
        """Returns how many names the files have."""
        return len({stem_of(record.path) for record in self._records})

    @cached_property
    def _many(self) -> dict[int, tuple[int, int]]:
        """Returns how many files say a sentence, and from how many folders, by its digest."""
        try:
            _, found = msgspec.msgpack.decode(self._counted, type=_Many)
        except msgspec.MsgspecError:  # noted by somebody else
            self._counted = self._all()
            _, found = msgspec.msgpack.decode(self._counted, type=_Many)
        return {key: (files, places) for key, files, places in found}

    def _of_last_run(self) -> bytes | None:
        """Returns what the last run counted but for what was touched since, None where unknown."""
        since = self._columns.since()
        if since is None or not since.numbers:
            return since and since.noted
        try:
            total, listed = msgspec.msgpack.decode(since.noted, type=_Many)
        except msgspec.MsgspecError:
            return None
        many = {key: (files, places) for key, files, places in listed}
        whole = self._columns.whole
        ends = np.cumsum(whole.lengths)
        for key in since.numbers:
            owners = ends.searchsorted(np.flatnonzero(whole.numbers == key), "right").tolist()
            paths = [self._records[at].path for at in owners]
            files, places = len(set(map(stem_of, paths))), len(set(map(_place, paths)))
            many.pop(key, None)
            if files >= _limit(total):
                many[key] = files, min(places, FEW_PLACES)
        return _encoded(total, many)

    def _all(self) -> bytes:
        """Returns what is counted in all files."""
        _, keys, _ = whole = self._columns.whole
        names = _numbers([stem_of(record.path) for record in self._records])[whole.owners]
        places = _numbers([_place(record.path) for record in self._records])[whole.owners]
        known, files = _count(keys, names)
        spread = np.minimum(_count(keys, places)[1], FEW_PLACES)
        many = np.flatnonzero(files >= _limit(self._total))
        counted = zip(files[many].tolist(), spread[many].tolist(), strict=True)
        return _encoded(self._total, dict(zip(known[many].tolist(), counted, strict=True)))

    def repeated(self, record: FileRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns (banners, shared descriptions) among the sentences of a file, each sorted.

        A shared description stands in many files of one folder or names each of them, and is none
        of a licence or a tool: it may be all that a family of files has.
        """
        banners: set[str] = set()
        shared: set[str] = set()
        if self._many.keys().isdisjoint(np.frombuffer(_digests(record), np.uint64).tolist()):
            return (), ()
        for text, key, named in _sentences(record):
            found = self._many.get(key)
            if found is None:
                continue
            spread = found[1] >= FEW_PLACES or found[0] >= BANNER * self._total
            is_kept = named or not spread
            (shared if is_kept and not _FORMAL.search(text) else banners).add(text)
        return tuple(sorted(banners)), tuple(sorted(shared))


def _limit(total: int) -> int:
    """Returns how many files of different names are many, of so many names in all."""
    return MANY if total >= SMALL else max(3, (total + 1) // 2)


def _place(path: str) -> str:
    """Returns the folder of a file, of two levels."""
    return "/".join(path.split("/")[:-1][:2])


def _encoded(total: int, many: Mapping[int, tuple[int, int]]) -> bytes:
    return msgspec.msgpack.encode((total, [(key, *many[key]) for key in sorted(many)]))


@kept
def _sentences(record: FileRecord) -> tuple[tuple[str, int, bool], ...]:
    """Returns each sentence of a file, its digest, and whether it names the file or a unit."""
    names = _names(record)
    keys = ((text, _key(text, names)) for text in sorted(_sentences_of(record)))
    return tuple((text, _digest(key), "@" in key) for text, key in keys)


@kept
def _digests(record: FileRecord) -> bytes:
    """Returns the digests of a file's sentences, uint64, sorted, each once."""
    return np.asarray(sorted({key for _, key, _ in _sentences(record)}), np.uint64).tobytes()


def _numbers_of(record: FileRecord) -> tuple[bytes, bytes]:
    """Returns the digests of a file's sentences, and nothing beside them."""
    return _digests(record), b""


def _numbers(names: Sequence[str]) -> np.ndarray:
    """Returns a number for each name, the same for equal ones."""
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.asarray([known[name] for name in names], np.int64)


def _count(keys: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the keys, sorted, each once, and in how many groups each stands."""
    order = np.lexsort((groups, keys))
    keys, groups = keys[order], groups[order]
    begins = np.ones(len(keys), bool)
    begins[1:] = keys[1:] != keys[:-1]
    is_new = begins.copy()
    is_new[1:] |= groups[1:] != groups[:-1]
    first = np.flatnonzero(begins)
    return keys[first], np.add.reduceat(is_new.astype(np.int64), first) if len(first) else first


def _sentences_of(record: FileRecord) -> set[str]:
    found = set(introduction(record))
    for comment in record.comments:
        found.update(sentences(comment.text))
    return found


def _names(record: FileRecord) -> frozenset[str]:
    names = {stem_of(record.path), *(unit.name for unit in record.units)}
    return frozenset(name.lower() for name in names)


def _key(text: str, names: frozenset[str]) -> tuple[str, ...]:
    tokens = _tokens(text)
    if names.isdisjoint(tokens):
        return tokens
    return tuple("@" if token in names else token for token in tokens)


def _digest(key: tuple[str, ...]) -> int:
    """Returns 64 bits that stand for a sentence: kept for all sentences of a repository."""
    text = " ".join(key).encode("utf-8", errors="replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(map(_plain, _TOKEN.findall(text.lower())))


@lru_cache(maxsize=1 << 16)
def _plain(token: str) -> str:
    token = token.strip(".")
    if token[:1].isdigit() or token in _MONTHS:
        return "0"
    return "@" if "." in token else token
