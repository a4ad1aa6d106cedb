"""Answers how deep or wide the instances of a sort are: all FIFOs, or the transmit FIFO."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.placed.overrides import Given, given, number_of, parameters, tell
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain, unit_at
from hdlgraph.query.answer.direct.widths import DEEP, add_with_others
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

MOST = 30  # instances that are told
FEW = 4  # of them, where one is asked for
ABOVE, PARENTS = 3, 2  # units around an instance that are looked at, and instances of each
_NUMBER = re.compile(r"[\d'hdbo_]+")
_SORTS = "fifo queue buffer memory ram sram rom cache tlb stack synchroniser synchronizer".split()
_NAME = rf"(?P<sort>{'|'.join(_SORTS)})"
_SORT = rf"{_NAME}(?:e?s)?"
_SIZE = r"(?P<size>depths?|widths?|sizes?|number of entries)"
_DEEP = r"(?P<deep>deep|wide|big|large|long)"
_WHERE = r"(?: (?:in|of|inside|within|below) (?:the )?(?P<{}>[\w./]+))?"
_IN, _AT = _WHERE.format("where"), _WHERE.format("place")
_THEM = rf"(?:(?:different|various|sync|async) )?{_SORT}(?: instances?)?"
_THERE = r"(?:are there|exist|are used|are instantiated|does the design have)"
_ALL = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:list|show|give|tell|find|enumerate)(?: me)?(?: (?:all|every|each|the|of))* {_THEM}"
        rf"{_IN},? (?:with|and|together with|by)(?: (?:its|their|the))? {_SIZE}{_AT}",
        rf"(?:which|what) {_THEM} {_THERE}"
        rf"{_IN},? (?:with|and)(?: (?:what|which|how))?(?: (?:its|their|the))? ?(?:{_SIZE}|{_DEEP})"
        r"(?: (?:are they|do they have|is each))?",
        rf"how {_DEEP} are (?:all )?(?:the )?{_THEM}{_IN}",
        rf"how many {_SORT} (?:entries|slots)(?: (?:are there|does \w+ have|exist))?{_IN}",
        rf"how many (?:entries|slots|words) (?:does|do|are in|has) (?:the )?{_SORT}(?: have)?{_IN}",
        rf"(?:what (?:is|are) )?(?:the )?{_SIZE} of (?:all )?(?:the )?{_NAME}e?s{_IN}",
    )
)
_WORDS = r"(?P<words>(?:[\w-]+ ){1,4})"
_ONE = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:what(?:'s| is) )?(?:the )?{_SIZE} of (?:the |an? )?{_WORDS}{_NAME}{_IN}",
        rf"how {_DEEP} is (?:the |an? )?{_WORDS}{_NAME}{_IN}",
        rf"(?:what(?:'s| is) )?(?:the )?{_WORDS}{_NAME} {_SIZE}{_IN}",
    )
)
_DEPTHS = frozenset("depth entries els words size len slots".split())
_WIDTHS = frozenset("width w dw bits wid".split())


_UNIT = r"(?P<unit>[A-Za-z_]\w*)"
_OF_UNIT = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:which|what) (?:modules?|units?|instances?|blocks?) (?:use|instantiate|have)s? {_UNIT}"
        rf",? (?:and|with)(?: (?:what|which|how))?(?: (?:its|their|the))? ?(?:{_SIZE}|{_DEEP})"
        r"(?: (?:is|are) (?:it|they|each))?",
        rf"(?:list|show|give)(?: me)?(?: (?:all|every|the))* (?:instances of )?{_UNIT}"
        rf"(?: instances)?,? (?:with|and)(?: (?:its|their|the))? {_SIZE}",
        rf"how {_DEEP} are (?:the |all )*(?:instances of )?{_UNIT}(?: instances)?",
    )
)


class _Asked(NamedTuple):
    """A sort of unit, other words of the one that is meant, where it stands, and which size."""

    sort: str
    words: tuple[str, ...]
    where: str
    is_wide: bool
    is_unit: bool = False


def add_sized(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds instances of units of a sort, each with the value of its depth, or of its width.

    False where the question asks for no such thing, or where no instance is found.
    """
    graph = queries.graph()
    asked = _asked(plain(question)) or _of_unit(plain(question), graph)
    if asked is None:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in _found(graph, asked) if one.path not in moved]
    design = [one for one in found if of_design(one.path)]
    found = design or ([] if asked.words else found)  # "the tx fifo" is none of a test
    if asked.words and not found:
        return _add_local(page, graph, asked, moved)
    if not found or (asked.words and len(found) > FEW):
        return False
    found.sort(key=lambda one: (one.path, one.line, one.instance, one.declared[1]))
    if not asked.words:
        count = len({one.instance for one in found})
        where = f" in {asked.where}" if asked.where else ""
        its = "their" if count != 1 else "its"
        many = f"{count} instance{'s' * (count != 1)}"
        of = asked.sort if asked.is_unit else f"units called {asked.sort}"
        page.add(f"{many} of {of}{where}, with {its} {_size(asked)}:")
    for one in found[:MOST]:
        _add(page, graph, one, "" if asked.words else "- ")
    if len(found) > MOST:
        page.add(f"- and {len(found) - MOST} more: `hdlgraph who` of each unit lists all")
    return True


def _size(asked: _Asked) -> str:
    return "width" if asked.is_wide else "depth"


def _asked(question: str) -> _Asked | None:
    """Returns what a question wants the size of, None where it asks for something else."""
    for form in (*_ALL, *_ONE):
        if found := form.fullmatch(question):
            groups = found.groupdict()
            size = (groups.get("size") or groups.get("deep") or "").lower()
            words = tuple(re.findall(r"[a-z0-9]+", (groups.get("words") or "").lower()))
            where = groups.get("where") or groups.get("place") or ""
            wide = size.startswith("wid")
            return _Asked(groups["sort"].lower(), words, where.strip("./"), wide)
    return None


def _of_unit(question: str, graph: Graph) -> _Asked | None:
    """Returns the unit of whose instances a question asks the size, None where it asks none."""
    found = next(filter(None, (form.fullmatch(question) for form in _OF_UNIT)), None)
    if found is None or unit_at(graph, found["unit"]) is None:
        return None
    groups = found.groupdict()
    size = (groups.get("size") or groups.get("deep") or "").lower()
    return _Asked(found["unit"], (), "", size.startswith("wid"), True)


def _found(graph: Graph, asked: _Asked) -> list[Given]:
    """Returns the sizes of the instances that are meant."""
    names = graph.nodes.column("name")
    units: dict[str, list[int]] = {}
    for row in _constants(graph, asked, "parameter"):
        units.setdefault(names[row].rpartition(".")[0], []).append(row)
    found = []
    for rows in units.values():
        own = [row for row in rows if _alone(names[row], _wanted(asked))] or rows
        found += [one for one in given(graph, own[0]) if _meant(asked, one)]
    return found


def _wanted(asked: _Asked) -> frozenset[str]:
    return _WIDTHS if asked.is_wide else _DEPTHS


def _constants(graph: Graph, asked: _Asked, word: str) -> Iterator[int]:
    """Yields the rows of the parameters of units of a sort that are called as the size."""
    nodes = graph.nodes
    names, details = nodes.column("name"), nodes.column("detail")
    for row, kind in enumerate(nodes.column("kind")):
        if kind == NodeKind.PARAMETER.value and details[row].startswith(word):
            unit, _, name = names[row].rpartition(".")
            parts = {part.lower() for part in split_identifier(name)}
            is_meant = unit == asked.sort if asked.is_unit else _is_of(asked.sort, unit)
            if parts & _wanted(asked) and is_meant:
                yield row


def _alone(name: str, wanted: frozenset[str]) -> bool:
    """Returns whether a parameter is called as the size and nothing else."""
    parts = [part.lower() for part in split_identifier(name.rpartition(".")[2])]
    return len([part for part in parts if part not in ("p", "g", "c")]) == 1 and parts[0] in wanted


def _is_of(sort: str, unit: str) -> bool:
    """Returns whether a unit is called as a sort: fifo, sync_fifo, fifo_v3."""
    return any(part.lower() == sort for part in split_identifier(unit))


def _meant(asked: _Asked, one: Given) -> bool:
    """Returns whether an instance has the words and stands where the question says."""
    folders = one.path.lower().split("/")
    where = asked.where.lower()
    if where and where not in (one.parent.lower(), *folders) and not one.path.startswith(where):
        return False
    return _has_words(asked, f"{one.instance} {one.unit}")


def _has_words(asked: _Asked, text: str) -> bool:
    """Returns whether names have the words of a question, each as the beginning of a part."""
    parts = [part.lower() for part in split_identifier(text)]
    return all(any(part.startswith(word) for part in parts) for word in asked.words)


def _add(page: FactPage, graph: Graph, one: Given, before: str, deep: int = ABOVE) -> None:
    """Adds an instance with the value of its size, and the line that gives it.

    Where that is a parameter of the unit around it, what the instances of that unit give follows.
    """
    above = _above(graph, one) if deep and not one.is_default else []
    names = list[str]()
    number = number_of(graph, one.value, one.unit if one.is_default else one.parent, names)
    after = f" ({one.unit})" if not one.is_default else ""
    if number is not None and not _NUMBER.fullmatch(one.value):
        is_set = above and not any(other.is_default for other in above)
        after += "" if is_set else f", {number} by default" if names else f", that is {number}"
    tell(page, one, before, after)
    told = [other for other in above if not other.is_default]
    inner = f"  {before}" if before else "  - "
    for other in told[:PARENTS]:
        _add(page, graph, other, inner, deep - 1)
    if len(told) > PARENTS:
        page.add(f"{inner}and {len(told) - PARENTS} more: `hdlgraph who {told[0].unit}`")


def _above(graph: Graph, one: Given) -> list[Given]:
    """Returns what the instances of the unit around give the parameter that a value names."""
    names = graph.nodes.column("name")
    rows = [
        row for row in parameters(graph, one.value) if names[row] == f"{one.parent}.{one.value}"
    ]
    found = [other for row in rows[:1] for other in given(graph, row)]
    found = [other for other in found if of_design(other.path)] or found
    return sorted(found, key=lambda other: (other.path, other.line, other.instance))


def _add_local(page: FactPage, graph: Graph, asked: _Asked, moved: set[str]) -> bool:
    """Adds the constant of a unit of a sort that is its size; False where no unit has one."""
    nodes = graph.nodes
    names = nodes.column("name")
    rows = [
        row
        for row in _constants(graph, asked, "localparam")
        if _alone(names[row], _wanted(asked)) and nodes.column("path")[row] not in moved
    ]
    design = [row for row in rows if of_design(nodes.column("path")[row])] or rows
    units = {names[row].rpartition(".")[0] for row in design}
    meant = [unit for unit in sorted(units) if _has_words(asked, unit)]
    if len(meant) != 1:
        return False
    done = set[int]()
    for row in design:
        if names[row].rpartition(".")[0] == meant[0]:
            add_with_others(page, graph, row, done, moved, DEEP)
    return bool(done)
