"""The weighted links that GraphRAG's Leiden divides: between files, and files and their folder.

Links of the design alone make poor communities: a package that everybody imports or a macro
file that everybody includes would glue all together. So a link weighs less the more others its
two ends have of the same kind, and folders stand in the graph as points of their own, because
those who wrote the design put together what belongs together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import sqrt

from hdlgraph.index.graphrag.communities.design import Design

WEIGHTS = {
    "instantiates": 1.0,
    "binds": 1.0,
    "extends": 1.0,
    "imports": 0.5,
    "includes": 0.5,
    "uses": 0.5,
}
UNSURE = 0.25
"""Share of a link whose name several files define."""
FILE_TO_FOLDER = 2.0
FOLDER_TO_PARENT = 1.0
Link = tuple[str, str]


def links_of(design: Design) -> list[tuple[str, str, float]]:
    """Returns (one end, other end, weight), sorted; an end is a path, a folder's ends in `/`."""
    found: dict[Link, float] = defaultdict(float)
    _of_relations(design, found)
    _of_folders(design.roles, found)
    return [(one, other, round(weight, 6)) for (one, other), weight in sorted(found.items())]


def _of_relations(design: Design, found: dict[Link, float]) -> None:
    sure: dict[str, dict[Link, bool]] = defaultdict(dict)
    for one in design.relations:
        pair = one.source_path, one.target_path
        sure[one.kind][pair] = sure[one.kind].get(pair, False) or one.sure
    for kind, pairs in sorted(sure.items()):
        users = Counter(source for source, _ in pairs)
        used = Counter(target for _, target in pairs)
        for (source, target), is_sure in sorted(pairs.items()):
            weight = WEIGHTS[kind] / sqrt(users[source] * used[target])
            found[_ordered(source, target)] += weight if is_sure else weight * UNSURE


def _of_folders(paths: Iterable[str], found: dict[Link, float]) -> None:
    """Adds a link from each file to its folder and from each folder to the one around it."""
    files: dict[str, list[str]] = defaultdict(list)
    folders: dict[str, set[str]] = defaultdict(set)
    for path in sorted(paths):
        folder = folder_of(path)
        files[folder].append(path)
        while folder != "/":
            around = folder_of(folder[:-1])
            folders[around].add(folder)
            folder = around
    for folder, inside in sorted(files.items()):
        weight = FILE_TO_FOLDER / sqrt(len(inside) + len(folders[folder]))
        for path in inside:
            found[_ordered(path, folder)] += weight
    for folder, below in sorted(folders.items()):
        for one in sorted(below):
            found[_ordered(one, folder)] += FOLDER_TO_PARENT / len(below)


def folder_of(path: str) -> str:
    """Returns the folder of a path, with a slash at its end; `/` is the repository."""
    return path.rpartition("/")[0] + "/"


def _ordered(one: str, other: str) -> Link:
    return (one, other) if one < other else (other, one)
