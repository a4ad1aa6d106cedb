"""Opens each graph once for all its users, and keeps with it what is computed from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from hdlgraph.graph import segments

if TYPE_CHECKING:
    from pathlib import Path

    from hdlgraph.graph.graph import Graph

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

FILES = ("nodes.parquet", "edges.parquet", "unresolved.parquet", segments.FOLDER)
"""The files of a graph, and the folder of one in segments."""
_OPEN: WeakValueDictionary[Hashable, Graph] = WeakValueDictionary()
_KEPT: WeakKeyDictionary[Graph, dict[Any, Any]] = WeakKeyDictionary()


def kept(make: Callable[[Graph], T]) -> Callable[[Graph], T]:
    """Returns a function that returns the result of `make`, computed once for each graph.

    Args:
        make: computes something from a graph; a result that refers to the graph would keep both
            in memory for good.
    """

    @wraps(make)
    def found(graph: Graph) -> T:
        of_graph = _KEPT.setdefault(graph, {})
        if make not in of_graph:
            of_graph[make] = make(graph)
        value: T = of_graph[make]
        return value

    return found


def is_there(folder: Path) -> bool:
    """Returns whether a generation has a graph."""
    whole = all((folder / name).is_file() for name in FILES[:2])
    return (whole or (folder / segments.LIST).is_file()) and (folder / FILES[2]).is_file()


def open_graph(folder: Path, key: Hashable, check: Callable[..., None]) -> Graph:
    """Returns the graph of a generation; one that is open already is returned again.

    Args:
        folder: the folder of the generation.
        key: is different for every generation.
        check: takes names of files; raises an error if one is not as it was written.
    """
    from hdlgraph.graph.graph import Graph

    found = _OPEN.get(key)
    if found is None:
        check(*FILES)
        found = _OPEN[key] = Graph.load(folder)
    return found


def rows_by(keys: Iterable[tuple[int, K]]) -> dict[K, list[int]]:
    """Returns the rows of each key, in the order in which they are given.

    Args:
        keys: (row, key); a row may have several.
    """
    found: dict[K, list[int]] = {}
    for row, key in keys:
        found.setdefault(key, []).append(row)
    return found


def in_turn(found: dict[K, list[int]], wanted: Iterable[K]) -> Iterator[int]:
    """Yields the rows of some keys in the order of the table, each once."""
    yield from sorted({row for key in wanted for row in found.get(key, ())})
