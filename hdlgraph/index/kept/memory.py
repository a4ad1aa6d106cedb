"""Keeps what runs of one process computed of unchanged files, for the next run of that process.

`hdlgraph watch` indexes again and again, each time after a change of a few files. Without this
every run decodes the facts of all files from the cache, and derives the same from them. Nothing
is kept outside `remembering`: a single run would only pay the memory.

    with remembering():
        ...               # runs
        next_run()        # before each: forgets what the last run did not ask for
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from hdlgraph.index.kept.derived import Keeper
    from hdlgraph.store.packed.values import Blob

T = TypeVar("T")

_Kept = dict[tuple[str, Hashable], tuple[Any, Any]]


class _Memory:
    """Values of the last run and of this one: what this run does not ask for is forgotten."""

    def __init__(self) -> None:
        self.last: _Kept = {}
        self.now: _Kept = {}

    def turn(self) -> None:
        self.last, self.now = self.now, {}

    def get(self, key: tuple[str, Hashable]) -> tuple[Any, Any] | None:
        found = self.now.get(key)
        if found is None and (found := self.last.pop(key, None)) is not None:
            self.now[key] = found
        return found


_memory: _Memory | None = None


@contextmanager
def remembering() -> Iterator[None]:
    """Keeps values from run to run as long as it is entered; inside another one it does nothing."""
    global _memory
    before = _memory
    _memory = before or _Memory()
    try:
        yield
    finally:
        _memory = before


def is_remembering() -> bool:
    """Returns whether values are kept for further runs of this process."""
    return _memory is not None


def next_run() -> None:
    """Records that a run begins: what the one before the last asked for alone is forgotten."""
    if _memory is not None:
        _memory.turn()


def recall(what: str, key: Hashable) -> Any | None:
    """Returns the value that `remember` was given for a key, None where there is none."""
    found = _memory.get((what, key)) if _memory is not None else None
    return None if found is None else found[1]


def remember(what: str, key: Hashable, value: T) -> T:
    """Keeps a value under a key that names all it depends on; returns it."""
    if _memory is not None:
        _memory.now[what, key] = (None, value)
    return value


def once(function: Callable[..., T]) -> Callable[..., T]:
    """Makes a function of one immutable object keep its value for that very object.

    For what depends on the object alone, and on further arguments that can be hashed. Arguments
    by keyword are no part of that: with others the value would be the same. The object is told by
    its identity, as comparing two records of facts costs more than most of what is derived from
    them.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(one: Any, *more: Hashable, **others: Any) -> T:
        if _memory is None:
            return function(one, *more, **others)
        key = (name, (id(one), *more))
        found = _memory.get(key)
        if found is not None and found[0] is one:
            value: T = found[1]
            return value
        value = function(one, *more, **others)
        _memory.now[key] = (one, value)  # with the object: no other one gets its identity
        return value

    return kept


def decoded(
    cache: Keeper | None,
    namespace: str,
    keys: Iterable[str],
    decode: Callable[[Blob], T],
) -> dict[str, T]:
    """Returns key -> value of the entries of a cache that are there; remembered ones first."""
    if cache is None:
        return {}
    wanted = list(dict.fromkeys(keys))
    found = {key: value for key in wanted if (value := recall(namespace, key)) is not None}
    cache.use(namespace, found)
    others = [key for key in wanted if key not in found]
    blobs = cache.views(namespace, others)
    for key in others:
        if (blob := blobs.get(key)) is not None:
            found[key] = remember(namespace, key, decode(blob))
    return found
