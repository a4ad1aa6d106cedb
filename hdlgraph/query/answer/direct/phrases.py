"""Writes the units that a question describes by name: "the fetch fifo" as `core_fetch_fifo`.

People leave out what all names of a project begin with, and write blanks for underscores.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import kept
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.design.names import is_unit

LONGEST = 4  # words of a unit's name
MAX_CHARS = 300  # of a question
SHORT, NOUNS = 14, 8  # words of a question, and of one that begins with no asking word
COMMON = 5  # units that begin alike, from which that is what a project's names begin with
_WORD = re.compile(r"[A-Za-z][\w$]*")
_TOKEN = re.compile(r"[A-Za-z_$][\w$.:]*|\d+|[^\sA-Za-z_$\d]")
_KIND = frozenset("module unit block instance ip core submodule".split())
_ASKS = re.compile(
    r"\W*(?:and |so |please |then )?(?:(?:to|from|by|in|under|at|on) )?"
    r"(?:wh?at|which|who|whom|whose|where|when|how|why|list|show|tell|give|name|describe|explain"
    r"|is|are|does|do|can)\b",
    re.I,
)
_JOINING = frozenset("a an and at by for from in into is of on or the to with".split())
"""Words that no name of a unit begins with."""
_BEFORE = frozenset("the of in inside within does do is are instantiates instantiate".split())
_AFTER = frozenset(
    "and are be connected contain do does drive driven enter for from get go goes has have in "
    "instantiate instantiated into is leave make need of on reach take to under use used when with "
    "work".split()
)
"""Words around a single word that is the whole name of a thing."""
_LISTED = frozenset("ports parameters inputs outputs states fsm interrupts".split())
"""What is asked of a unit by these words alone: "alu ports"."""


def in_names(question: str, graph: Graph) -> str:
    """Returns a question with the names of the units that it describes in place of their words.

    Two to four words mean a unit that is called so, or so behind what several units begin with;
    one word does where it stands by itself. Where that fits several units, none is meant. A long
    question, and a longer statement, stays as it is.
    """
    if len(question) > MAX_CHARS or len(question.split()) > (
        SHORT if _ASKS.match(question) else NOUNS
    ):
        return question
    tokens = list(_TOKEN.finditer(question))
    words = [one[0].lower() for one in tokens]
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(tokens):
        for count in range(min(2 * LONGEST - 1, len(tokens) - at), 0, -1):  # hyphens count
            name = _meant(graph, words, at, count)
            if name and _is_joined(question, tokens[at : at + count]):
                found.append((tokens[at].start(), tokens[at + count - 1].end(), name))
                at += count
                break
        else:
            at += 1
    for begin, end, name in reversed(found):
        question = question[:begin] + name + question[end:]
    return question


def _is_joined(question: str, tokens: list[re.Match[str]]) -> bool:
    """Returns whether nothing but a blank or a hyphen stands between words."""
    pairs = pairwise(tokens)
    return all(question[one.end() : two.start()] in (" ", "") for one, two in pairs)


def _meant(graph: Graph, words: list[str], at: int, count: int) -> str:
    """Returns the unit that some words mean, "" where they mean none."""
    own = [word for word in words[at : at + count] if word != "-"]
    if (
        len(own) > LONGEST
        or not all(_WORD.fullmatch(word) for word in own)
        or "-" in (words[at], words[at + count - 1])
    ):
        return ""
    if len(own) == 1:
        before, after = words[at - 1] if at else "", words[at + 1 : at + 2]
        if not at and after and after[0] in _LISTED:
            before = "the"
        if before not in _BEFORE or not (set(after) <= _AFTER | _LISTED or after[0] in "?.!,'"):
            return ""
    if own[0] in _JOINING:
        return ""
    whole, behind = _names(graph)
    joined = "_".join(own)
    if len(own) > 1 and joined in whole:
        return whole[joined]
    return "" if joined in whole else behind.get(joined, "")


@kept
def _names(graph: Graph) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the units of the design by their lower-case name, and by what ends only one.

    The latter are what stands behind a beginning that several units have.
    """
    nodes = graph.nodes
    names = {
        name
        for kind, name, path in zip(
            *(nodes.column(key) for key in ("kind", "name", "path")), strict=True
        )
        if path and is_unit(kind) and "." not in name and of_design(path)
    }
    begins = Counter(begin for name in names for begin, _ in _splits(name.lower()))
    ends: dict[str, set[str]] = {}
    for name in sorted(names):
        for begin, end in _splits(name.lower()):
            ends.setdefault(end, set())
            if begins[begin] >= COMMON:
                ends[end].add(name)
            else:
                ends[end] |= {name, ""}  # called so, but perhaps of another thing
    whole = {name.lower(): name for name in sorted(names, reverse=True)}
    return whole, {end: next(iter(own)) for end, own in ends.items() if len(own) == 1}


def _splits(name: str) -> list[tuple[str, str]]:
    """Returns the beginnings and the ends of a name, cut at each underscore."""
    parts = name.split("_")
    return [("_".join(parts[:n]), "_".join(parts[n:])) for n in range(1, len(parts))]
