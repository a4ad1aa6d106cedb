"""Answers with the parameters that set how wide or deep the thing that a question names is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.sizes import size_in_words, size_of
from hdlgraph.query.answer.direct.subjects import Subject, owners_of, plain, ranked, unit_at
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.who import users_of
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

OVERRIDES = 8  # of a parameter that are told
PARAMETERS = 6  # of an answer
DEEP = 2  # parameters that follow from others
_WHAT = (
    r"(?P<what>(?:(?:bit|data|word|address) )?"
    r"(?:widths?|depths?|sizes?|lengths?|ranges?|dimensions?)"
    r"|number of (?:entries|bits|words|elements))"
)
_NOUN = (
    r"(?:signal|port|array|memory|fifo|register|bus|output|input|vector|module|instance|buffer"
    r"|queue|unit|block|counter|pipeline|table)"
)
_X = (
    rf"(?:the )?(?:{_NOUN} )*(?P<x>[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)?)(?: {_NOUN})?"
    rf"(?: (?:of|in|inside|at|on|within) (?:the )?(?:{_NOUN} )?(?P<y>[A-Za-z_][\w$]*))?"
)
_SETS = (
    r"(?:sets?|decides?|determines?|controls?|defines?|gives?|specif(?:y|ies)|configures?|fix(?:es)?"
    r"|governs?|changes?|is for|is used for|is behind)"
)
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        r"(?:which|what) (?:parameters?|localparams?|constants?|macros?|defines?|generics?) "
        rf"(?:\w+ )?{_SETS} (?:the )?{_WHAT} (?:of|for) {_X}",
        rf"(?:what|who) {_SETS} (?:the )?{_WHAT} (?:of|for) {_X}",
        rf"how (?P<what>wide|deep|big|large|long) (?:is|are) {_X}",
        rf"how many (?P<what>bits|entries|words|elements) (?:wide |deep )?(?:is|are) {_X}",
        rf"how many (?P<what>bits|entries|words|elements) (?:does|do) {_X} (?:have|hold|take)",
        rf"(?:what(?:'s| is| are) (?:the )?)?{_WHAT}(?: parameter)? of {_X}",
        rf"(?:where|how) (?:is|are) the {_WHAT} of {_X} "
        r"(?:set|defined|configured|determined|decided|chosen|given|parameteri[sz]ed)",
    )
)
_DEEP = frozenset("depth depths deep entries words elements number length lengths long".split())
_WIDE = frozenset("width widths wide bits bit".split())
_DEPTHS = frozenset("depth entries els words size length len slots".split())
_WIDTHS = frozenset("width w dw bits wid".split())
_RANGE = re.compile(r"\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]")
_FIXED = re.compile(r"(?:\[[\d:\s]+\])+")
_NAME = re.compile(r"(?<![\w$'`.])(?:([A-Za-z_]\w*)::)?([A-Za-z_][\w$]*)(?![\w$(])")
_PARAMETER, _OVERRIDES = NodeKind.PARAMETER.value, EdgeKind.PARAMETERIZES.value


def add_widths(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the parameters in the ranges of what is named, or the depth of a named unit.

    Each with its default and what instances give it. False where the question asks for no width or
    depth, or where no parameter decides it.
    """
    asked = plain(question)
    found = next(filter(None, (form.fullmatch(asked) for form in _ASKED)), None)
    if found is None:
        return False
    graph = queries.graph()
    moved = {*result.stale.changed, *result.stale.removed}
    name, unit, what = found["x"], found["y"] or "", found["what"].lower()
    if "." in name:
        unit, _, name = name.rpartition(".")
    if not unit and unit_at(graph, name):
        return _of_unit(page, graph, name, what, moved)
    if not unit and "_" not in name:
        return False
    owners = [one for one in owners_of(graph, name, False, unit) if not unit or one.unit == unit]
    if not _is_one(graph, owners, name):
        return False
    owners = ranked(owners, result)
    if not owners or owners[0].path in moved:
        return False
    return _of_signal(page, graph, owners[0], what, moved)


def _is_one(graph: Graph, owners: Sequence[Subject], name: str) -> bool:
    """Returns whether all units that declare a signal give it one width, as written."""
    nodes = graph.nodes
    names, details = nodes.column("name"), nodes.column("detail")
    units = {one.unit for one in owners}
    found = {
        "".join(_RANGE.findall(details[row]))
        for row in graph.ending(name)
        if names[row].rpartition(".")[0] in units and names[row].rpartition(".")[2] == name
    }
    return len(units) == 1 or len(found) == 1


def _of_unit(page: FactPage, graph: Graph, unit: str, what: str, moved: set[str]) -> bool:
    """Adds the parameters of a unit that are called as its depth or width."""
    words = set(what.split())
    wanted = _DEPTHS if words & _DEEP else _WIDTHS if words & _WIDE else frozenset[str]()
    nodes = graph.nodes
    names, paths = nodes.column("name"), nodes.column("path")
    found = [
        row
        for row in _declared(graph, unit)
        if paths[row] not in moved
        and nodes.column("detail")[row].startswith("parameter")
        and wanted & {part.lower() for part in split_identifier(names[row].rpartition(".")[2])}
    ]
    for row in found[:PARAMETERS]:
        add_parameter(page, graph, row, "", moved)
    return bool(found)


def _of_signal(page: FactPage, graph: Graph, one: Subject, what: str, moved: set[str]) -> bool:
    """Adds the declaration of a signal and the parameters in its ranges."""
    lines = page.source(one.path).lines
    if one.line > len(lines):
        return False
    text = _ranges(lines[one.line - 1].partition("//")[0], one.signal, set(what.split()))
    rows = list(_parameters(graph, text, one.unit))
    if not rows and not _FIXED.fullmatch(text):
        return False
    size = _size(graph, text, one.unit, set(what.split()))
    of = f"a range of {_names(graph, rows)}" if rows else f"a range of numbers, {text}"
    page.add(f"{one.unit}.{one.signal} {size or f'is declared with {of}'}:")
    page.code(one.path, page.source(one.path), [one.line])
    done = set[int]()
    for row in rows[:PARAMETERS]:
        add_with_others(page, graph, row, done, moved, DEEP)
    return True


def _size(graph: Graph, ranges: str, unit: str, what: set[str]) -> str:
    """Returns in words how wide or deep a range is, "" where it does not tell."""

    def default(name: str, unit: str) -> tuple[str, str] | None:
        row = next(_parameters(graph, name, unit), None)
        if row is None:
            return None
        text = graph.nodes.column("detail")[row].partition("=")[2].strip()
        return (text, graph.nodes.column("name")[row].rpartition(".")[0]) if text else None

    words, number = size_in_words(ranges), size_of(ranges, unit, default)
    if not what & (_DEEP | _WIDE) or not (words or number):
        return ""
    wide = not what & _DEEP
    plain = _FIXED.fullmatch(ranges)
    many = str(number) if plain or not words else words
    noun = ("bit" if wide else "element") + "s" * (many != "1")
    sentence = f"is {many} {noun} wide" if wide else f"has {many} {noun}"
    if plain or not number:
        return sentence
    return f"{sentence} by default" if many == str(number) else f"{sentence}, {number} by default"


def _ranges(line: str, name: str, what: set[str]) -> str:
    """Returns the ranges of what a line declares: those of its depth, its width, or all.

    The depth is the range behind the name, else the first of several; the width is the others.
    """
    found = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line)
    if found is None:
        return ""
    before = _RANGE.findall(line[: found.start()].rpartition(";")[2])
    after = _RANGE.findall(re.split(r"[,;=]", line[found.end() :])[0])
    packed = before[:1] if len(before) > 1 and not after else []
    if what & _DEEP:
        kept = after or packed or before
    else:
        kept = before[len(packed) :] if what & _WIDE else before + after
    return "".join(f"[{one}]" for one in kept)


def _names(graph: Graph, rows: list[int]) -> str:
    names = graph.nodes.column("name")
    return ", ".join(dict.fromkeys(names[row].rpartition(".")[2] for row in rows))


def _declared(graph: Graph, unit: str) -> Iterator[int]:
    """Yields the rows of the parameters that a unit declares, by place."""
    nodes = graph.nodes
    kinds, names = nodes.column("kind"), nodes.column("name")
    for row, kind in enumerate(kinds):
        if kind == _PARAMETER and names[row].rpartition(".")[0] == unit:
            yield row


def _parameters(graph: Graph, text: str, unit: str) -> Iterator[int]:
    """Yields the rows of the parameters that a text of a unit names, each once."""
    nodes = graph.nodes
    kinds, names, paths = (nodes.column(key) for key in ("kind", "name", "path"))
    seen = set[str]()
    for scope, name in _NAME.findall(text):
        if name in seen:
            continue
        seen.add(name)
        rows = [
            row
            for row in graph.ending(name)
            if kinds[row] == _PARAMETER and paths[row] and names[row].rpartition(".")[2] == name
        ]
        own = [row for row in rows if names[row].rpartition(".")[0] == (scope or unit)]
        if own or (not scope and len({names[row] for row in rows}) == 1):
            yield (own or rows)[0]


def add_with_others(
    page: FactPage, graph: Graph, row: int, done: set[int], moved: set[str], deep: int
) -> None:
    """Adds a parameter, and those that its default names."""
    path = graph.nodes.column("path")[row]
    if row in done or path in moved:
        return
    done.add(row)
    add_parameter(page, graph, row, "- ", moved)
    unit = graph.nodes.column("name")[row].rpartition(".")[0]
    default = graph.nodes.column("detail")[row].partition("=")[2]
    for other in _parameters(graph, default, unit) if deep > 1 else ():
        add_with_others(page, graph, other, done, moved, deep - 1)


def add_parameter(page: FactPage, graph: Graph, row: int, before: str, moved: set[str]) -> None:
    """Adds a parameter with its default and what overrides it."""
    nodes = graph.nodes
    name, detail = nodes.column("name")[row], nodes.column("detail")[row]
    path, line, last = nodes.column("path")[row], nodes.column("line")[row], name.rpartition(".")[2]
    texts = page.source(path).lines[line - 1 : line]
    if "`" in "".join(texts) and last not in "".join(texts):
        page.state(f"{before}{name}: {detail}, by a macro", path, line)
    else:
        page.fact(f"{before}{name}: {detail}", (last,), path, line)
    users = [one for one in users_of(graph, row, {_OVERRIDES}) if one["path"] not in moved]
    users = [one for one in users if one["text"] != last] or users[:1]  # passed on by its name
    users.sort(key=lambda one: (not of_design(one["path"]), one["path"], one["line"]))
    for one in users[:OVERRIDES]:
        page.fact(f"  - {one['user_name']} gives it {one['text']}", (), one["path"], one["line"])
    if len(users) > OVERRIDES:
        page.add(f"  - and {len(users) - OVERRIDES} more: `hdlgraph who {name}` lists all")
