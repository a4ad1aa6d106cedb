"""Answers what the default of a parameter is, by the line that declares it.

The question names the parameter, or says in words what it is of: "the default width of the FIFO".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.model.paths import shared_folders
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.question.aims import SIZES
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

MOST = 6  # parameters of an answer
DESCRIBED = 600  # characters of a unit's comment that are read
LETTERS = 3  # of a short name by which other units are known as well
_ASKED = re.compile(
    r"\b(?:what|which|how|give|show|tell)\b.{0,80}\bdefault(?:s|ed)?\b"
    r"|\bdefaults? (?:value |setting )?(?:of|for)\b|^default\b",
    re.I,
)
_OTHER = re.compile(
    r"\bdefault (?:case|branch|arm|state|assignment|clock|sequence|net ?type)s?\b"
    r"|\binstantiated\b|\benabled\b|\bon by\b",
    re.I,
)
"""Asks for something else that is called so."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLAIN = frozenset(
    map(
        stem,
        """default defaults value values parameter parameters set setting module unit block constant
        number many use used have has give line declared""".split(),
    )
)
"""Words of a question that say what is asked for, not of what."""


class _Fit(NamedTuple):
    """A parameter, how much of the question its name and its surroundings have, and its place."""

    worth: float
    whole: bool
    owner: str
    name: str
    value: str
    path: str
    line: int


def add_parameter_defaults(
    page: FactPage, question: str, queries: Queries, result: SearchResult
) -> bool:
    """Adds the lines that give parameters their defaults; False where none is asked for."""
    if not _ASKED.search(question) or _OTHER.search(question):
        return False
    graph = queries.graph()
    written = {*_WORD.findall(question)}
    words = frozenset(SIZES.get(word, word) for word in content_stems(question)) - _PLAIN
    if not words:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    units = units_named(question, graph)
    found = [one for one in _fitting(graph, words, written, units) if one.path not in moved]
    found = [one for one in found if one.whole]
    if not found:
        return False
    found.sort(key=lambda one: (-one.worth, not of_design(one.path), one.path, one.line))
    best = [one for one in found if one.worth == found[0].worth]
    told = [*best, *_known_as(graph, best, moved)]
    for one in told[:MOST]:
        text = f"- {one.owner}.{one.name} is {one.value} by default:"
        page.add(text if one.owner else f"- {one.name} is {one.value}:")
        page.code(one.path, page.source(one.path), [one.line])
    if len(told) > MOST:
        name = told[0].name
        page.add(f"- and {len(told) - MOST} more: `hdlgraph show {name}` lists all of the name")
    return True


def _fitting(
    graph: Graph, words: Collection[str], written: Collection[str], units: Collection[str]
) -> Iterator[_Fit]:
    """Yields the parameters with a word of the question in their names."""
    said = _comments(graph)
    for owner, name, value, path, line in _parameters(graph):
        if units and owner not in units:
            continue
        parts = {SIZES.get(one, one) for one in map(stem, _parts(name))}
        own = parts & {*words}
        if name in written and not (name.isalpha() and name.islower()):  # no English word
            yield _Fit(10.0, True, owner, name, value, path, line)
        elif own:
            rest = {*words} - own - {one for unit in units for one in map(stem, _parts(unit))}
            around = set(map(stem, _parts(f"{owner} {path}")))
            described = set(content_stems(said.get(owner, ""))) if rest - around else set()
            whole = rest <= around | described
            worth = 2.0 * len(own) + len(rest & around) + 0.9 * len(rest & described - around)
            yield _Fit(worth - 0.5 * len(parts - own), whole, owner, name, value, path, line)


def _known_as(graph: Graph, best: list[_Fit], moved: Collection[str]) -> list[_Fit]:
    """Returns the same parameter of units that have the short name of the best one's as a part.

    The nearest come first: a comment may describe one cell, and others implement it.
    """
    first = best[0]
    short = _parts(first.owner)
    if len(best) > 1 or len(short) != 1 or len(short[0]) < LETTERS:
        return []
    found = [
        _Fit(0.0, True, owner, name, value, path, line)
        for owner, name, value, path, line in _parameters(graph)
        if name == first.name and owner != first.owner and short[0] in _parts(owner)
        if path not in moved
    ]
    return sorted(
        found,
        key=lambda one: (
            *(-shared_folders(one.path, first.path), one.path.count("/")),
            *(one.path, one.line),
        ),
    )


def _parameters(graph: Graph) -> Iterator[tuple[str, str, str, str, int]]:
    """Yields (owner, name, value, path, line) of the parameters that have a default."""
    nodes = graph.nodes
    columns = (nodes.column(key) for key in ("kind", "name", "detail", "path", "line"))
    for kind, whole, detail, path, line in zip(*columns, strict=True):
        if kind == NodeKind.PARAMETER.value and path and detail.startswith("parameter"):
            _, has, value = detail.partition("=")
            owner, _, name = whole.rpartition(".")
            if has and value.strip():
                yield owner, name, value.strip(), path, int(line)


def _comments(graph: Graph) -> dict[str, str]:
    """Returns the beginning of the comment of each unit that has one, by its name."""
    nodes = graph.nodes
    columns = (nodes.column(key) for key in ("kind", "name", "text"))
    return {
        name: text[:DESCRIBED]
        for kind, name, text in zip(*columns, strict=True)
        if text and is_unit(kind)
    }


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in split_identifier(name))
