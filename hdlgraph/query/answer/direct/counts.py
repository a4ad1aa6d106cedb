"""Finds the parameter that says how many of something there are."""

from __future__ import annotations

import re
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

MAX_PARAMETERS = 3  # parameters of an answer
PLACES = frozenset(map(stem, ("instances", "modules", "ports", "states", "times", "files")))
"""What is counted in the design itself, not by a parameter."""
FEW = 12  # that fit: of more none is meant
_ASKED = re.compile(
    r"(?:\bhow many|(?:^|\bwhat(?:'s| is) the )(?:total |maximum )?(?:number|count) of) "
    r"((?:[\w-]+ ){0,2}?[\w-]+)"
    r"(?=\s+(?:does|do|are|is|has|have|can|in|of|there|at|per|will|would|should|may|exist)\b|[?.]|$)",
    re.I,
)
_COUNT = frozenset("n nr num number no cnt count of total amount p lp c".split())
"""Parts of a parameter's name that say that it counts, or that it is a parameter."""
_COUNT_WORDS = frozenset("n nr num number no cnt count total".split())


class _Fit(NamedTuple):
    """A parameter by its place, and how many words of the question its owner and path have."""

    shared_words: int
    design: bool
    path: str
    line: int
    name: str
    detail: str


def add_counts(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the parameters that say how many there are; False where none is named like that."""
    asked = _ASKED.search(question)
    if asked is None:
        return False
    wanted = frozenset(content_stems(asked[1]))
    if wanted & PLACES or not wanted:
        return False
    rest = frozenset(content_stems(question.replace(asked[1], " "))) - wanted
    joined = stem("".join(re.findall(r"[a-z0-9]+", asked[1].lower())))
    moved = {*result.stale.changed, *result.stale.removed}
    found = _fitting(queries.graph(), wanted, joined, rest, moved)
    if not found or (len(found) > FEW and found[0].shared_words == found[-1].shared_words):
        return False
    best = [one for one in found if one.shared_words == found[0].shared_words]
    for one in best[:MAX_PARAMETERS]:
        own = one.name.rpartition(".")[2]
        page.fact(f"{one.name}: {one.detail}", (own,), one.path, one.line)
        page.code(one.path, page.source(one.path), [one.line])
    if len(best) > MAX_PARAMETERS:
        page.add(
            f"and {len(best) - MAX_PARAMETERS} more of the name: `hdlgraph show {own}` lists all"
        )
    return True


def _fits(parts: list[str], wanted: frozenset[str], joined: str, rest: frozenset[str]) -> bool:
    """Returns whether a name counts what is wanted; other parts begin words of the question.

    A name may write the words that are wanted as one (`joined`).
    """
    left = {stem(part) for part in parts if part not in _COUNT}
    meant = wanted if wanted <= left else left & {joined}
    return bool(meant) and all(
        len(part) > 1 and any(word.startswith(part) for word in rest) for part in left - meant
    )


def _fitting(
    graph: Graph, wanted: frozenset[str], joined: str, rest: frozenset[str], moved: set[str]
) -> list[_Fit]:
    """Returns the parameters whose names count what is wanted, those by the question first."""
    nodes = graph.nodes
    names, paths, lines = (nodes.column(key) for key in ("name", "path", "line"))
    details = nodes.column("detail")
    found = []
    for row, kind in enumerate(nodes.column("kind")):
        if kind != NodeKind.PARAMETER.value or not paths[row] or paths[row] in moved:
            continue
        owner, _, name = names[row].rpartition(".")
        parts = [part.lower() for part in split_identifier(name)]
        if not _COUNT_WORDS & set(parts) or not _fits(parts, wanted, joined, rest):
            continue
        around = {stem(part.lower()) for part in split_identifier(f"{owner} {paths[row]}")}
        shared = len(rest & around)
        found.append(
            _Fit(shared, of_design(paths[row]), paths[row], lines[row], names[row], details[row])
        )
    return sorted(found, key=lambda one: (-one.shared_words, not one.design, one.path, one.line))
