"""Keys of UVM's configuration database: which `get` reads what which `set` wrote."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from hdlgraph.model import Location
from hdlgraph.query.verification.benches import Benches
from hdlgraph.query.verification.library import Class, Library
from hdlgraph.query.verification.reach import Reach
from hdlgraph.query.verification.types import filled, written
from hdlgraph.store.design.verification import Act

PAIRS = 200_000
"""Pairs of a `set` and a `get` that are compared."""
_SPACE = re.compile(r"\s+")
_OF_UVM = frozenset(("recording_detail", "default_sequence", "max_quit_count"))
"""Keys that UVM's own components read or write."""


class Setting(NamedTuple):
    """A `set` or `get`: its place, and the types that it has for all values of parameters.

    Types are compared without their `#(...)`: what stands there is often a constant on one side
    and a parameter on the other.
    """

    path: str
    act: Act
    types: frozenset[str]

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON has it."""
        act = self.act
        return {
            "key": act.left,
            "type": act.right,
            "for": act.detail,
            "value": act.local,
            "class": act.owner,
            "location": str(Location(self.path, act.line)),
        }


class Settings:
    """All settings of a repository, those of one key together."""

    def __init__(self, benches: Benches) -> None:
        self._library = library = benches.library
        self._reach = Reach(benches)
        self._special = specialised(library)
        self.sets: list[Setting] = []
        self.gets: list[Setting] = []
        for path, file in library.code.files:
            for act in file.acts:
                if act.kind in ("set", "get"):
                    one = Setting(path, act, self._types(path, act))
                    (self.sets if act.kind == "set" else self.gets).append(one)

    def _types(self, path: str, act: Act) -> frozenset[str]:
        row = self._library.row_of(act.owner, path) if act.owner else -1
        if row < 0:
            return frozenset((self._plain(act.right, path, None),))
        scope = self._library.class_at(row)
        every = [dict(one) for one in self._special.get(row, ())] or [{}]
        inherited = self._library.values(scope)
        texts = {filled(act.right, inherited | one) for one in every}
        return frozenset(self._plain(text, path, scope) for text in texts)

    def _plain(self, text: str, path: str, scope: Class | None) -> str:
        return plain_type(self._library.real(text, path, scope))

    def pairs(self, key: str = "") -> list[tuple[Setting, Setting]]:
        """Returns which `set` is read by which `get`: of a key, or of all."""
        return [pair for pair in self._pairs if not key or _has(key, pair)]

    @cached_property
    def _pairs(self) -> list[tuple[Setting, Setting]]:
        found: list[tuple[Setting, Setting]] = []
        left = PAIRS
        by_key = _by_key(self.gets)
        for one in self.sets:
            for other in _matching(by_key, one.act.left):
                left -= 1
                if left < 0:
                    return found
                if one.types.isdisjoint(other.types):
                    continue
                if self._reach.allows(one.path, one.act, other.path, other.act):
                    found.append((one, other))
        return found

    def unread(self) -> list[Setting]:
        """Returns what is set and never read in the repository."""
        read = {id(one.act) for one, _ in self.pairs()}
        return [one for one in _sure(self.sets, self.gets) if id(one.act) not in read]

    def unset(self) -> list[Setting]:
        """Returns what is read and never set in the repository."""
        set_ = {id(other.act) for _, other in self.pairs()}
        return [one for one in _sure(self.gets, self.sets) if id(one.act) not in set_]


def _sure(settings: list[Setting], others: list[Setting]) -> Iterator[Setting]:
    """Yields the settings whose counterpart would be known: no key is put together there."""
    vague = {type_ for one in others if not one.act.left.strip("*") for type_ in one.types}
    for one in settings:
        if one.act.left.strip("*") and one.act.left not in _OF_UVM and vague.isdisjoint(one.types):
            yield one


def _has(key: str, pair: tuple[Setting, Setting]) -> bool:
    return key in (pair[0].act.left, pair[1].act.left)


def _by_key(gets: Iterable[Setting]) -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = defaultdict(list)
    for one in gets:
        found[one.act.left].append(one)
    return found


def _matching(by_key: dict[str, list[Setting]], key: str) -> Iterator[Setting]:
    for other, settings in by_key.items() if key.strip("*") else ():
        if other == key or ("*" in other + key and alike(key, other)):
            yield from settings


def alike(key: str, other: str) -> bool:
    """Returns whether two keys may be the same, of which `*` stands for what is not known.

    Of a key that is nothing but `*` nothing can be said.
    """
    if not key.strip("*") or not other.strip("*"):
        return False
    return bool(_pattern(key).fullmatch(other) or _pattern(other).fullmatch(key))


@lru_cache(maxsize=10_000)
def _pattern(key: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in re.split(r"\*+", key)[:8]]
    return re.compile(".*".join(parts))


def plain_type(text: str) -> str:
    """Returns a type as it is compared: its name without package, `virtual` and `#(...)`.

    Vectors and the like keep their size.
    """
    bare = _SPACE.sub(" ", text.strip())
    name = written(bare).name
    return bare if "[" in bare.partition("#")[0] else name or bare


def specialised(library: Library) -> dict[int, set[tuple[tuple[str, str], ...]]]:
    """Returns the values that the parameters of each class have somewhere, by the class's row."""
    found: dict[int, set[tuple[tuple[str, str], ...]]] = defaultdict(set)
    seen: set[tuple[Any, ...]] = set()

    def add(one: Class) -> None:
        key = (one.row, one.values)
        if one.known and key not in seen:
            seen.add(key)
            for link in library.chain(one):
                if link.known:
                    found[link.row].add(link.values)

    for one in library.all():
        add(one)
        path, code = library.rows[one.row]
        for member in code.members:
            if "#" in member.type:
                add(library.meant(member.type, path, one))
        for act in library.acts(one):
            if act.kind == "create" and "#" in act.right:
                add(library.meant(act.right, path, one))
        for alias, _ in code.aliases:
            add(library.meant(alias, path, one))
    for path, file in library.code.files:
        for alias, text in file.aliases:
            if "#" in text:
                add(library.meant(alias, path))
    return found
