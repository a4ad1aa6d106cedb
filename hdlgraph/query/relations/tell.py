"""Tells the edges that answer a question for a relation, each with the line that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from hdlgraph.query.answer.facts.page import FactPage, quoted
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.evidence.quoted import is_quote
from hdlgraph.results import Answer, Evidence, Hit, SearchResult

_INSTANCE = re.compile(r"[\w$]+ instantiates ([\w$]+) as ([\w$]+)")
_NAME = re.compile(r"[$`]?[A-Za-z_][\w$.:]*")
_HAPPENS = re.compile(
    r"what (?:happens|does [\w$' -]{2,60}? do)\b"
    r"|(?:so |and )?why (?:does|do|is|are|would|will|did|can)\b"
    r"|how (?:does|do|is|are|will|can) (?!many|much)"
    r"|(?:under (?:which|what) conditions?|in which case|when) (?:does|do|is|are|can|will|would)\b",
    re.I,
)
_CONNECTED = re.compile(
    r"\b(?:attach|bind|bound|connect|driv(?:e|en)|feeds?|fed|gets? (?:from|in|into|to)\b|hook"
    r"|goes|go|come|instantiat|link|pass(?:es|ed)?|plac|reach|rout|suppl|tied|travel|wire|clock"
    r"|parameter|set\b|test|check)",
    re.I,
)
_NAMED = re.compile(r"[$`]\w+|[A-Za-z]\w*_\w|[a-z]\w*[A-Z]|[A-Z]\w*[a-z]\w*[A-Z]|\w\.\w")
"""Begins what is written like a name of the design."""
FILES = 8
"""Files of an answer."""
EDGES = 3
"""Edges of each file that are told."""
LEAST = 0.05
"""Score of the best edge from which edges answer; with less no file scores by them."""
BEST = 0.5
"""Share of the best answer's score that another one needs to be told beside it."""


def with_relations(answer: Answer, read_text: Callable[[str], str]) -> Answer:
    """Returns an answer with the edges before it that answer its question, each with its line.

    Those of a question that asks what happens or which file does something, or hardly for a
    relation, so that no file scores by them, stand behind it; of them those are left out whose line
    is quoted there.

    Args:
        answer: quoted from the files that search found.
        read_text: gives a file's text.
    """
    page, moved = FactPage(read_text), answer.result.stale
    page.citations = list(answer.citations)
    told: set[tuple[str, int, str]] = set()
    answering = list(_answering(answer.result))
    decides = any(one.score >= LEAST for _, found in answering for one in found)
    decides = decides and not _asks_behaviour(answer.question)
    known = set() if decides else quoted(answer.text)
    for hit, found in answering:
        edges = [one for one in found if (one.path, one.line, one.text) not in told]
        edges = [one for one in edges if (one.path, one.line) not in known]
        if not edges:
            continue
        told |= {(one.path, one.line, one.text) for one in edges}
        page.add(f"{hit.path}:")
        for edge in edges:
            if is_quote(edge):
                page.add(f"- {edge.path.rpartition('/')[2]} says:")
                page.code(edge.path, page.source(edge.path), [edge.line])
            elif edge.path in (*moved.changed, *moved.removed):
                page.add(f"- {edge.text} ({edge.path} changed since it was indexed)")
            elif placed := _INSTANCE.fullmatch(edge.text):
                page.fact(f"- {edge.text}", placed.groups(), edge.path, edge.line)
            else:
                page.add(f"- {_spoken(edge, page)}")
                page.code(edge.path, page.source(edge.path), [edge.line])
    if not page.lines:
        return answer
    parts = (page.text, answer.text) if decides else (answer.text, page.text)
    text = "\n\n".join(parts)
    return msgspec.structs.replace(answer, text=text, citations=tuple(page.citations))


def _asks_behaviour(question: str) -> bool:
    """Returns whether a question asks what a design does, and not how its parts are connected.

    One that is not about connections, in no known form and without a name of the design tells what
    a file does ("which file turns serial bits into bytes?").
    """
    if _CONNECTED.search(question):
        return False
    known = bool(_NAMED.search(question)) or asked_relation(question) is not None
    return not known or bool(_HAPPENS.match(question.strip()))


def _spoken(edge: Evidence, page: FactPage) -> str:
    """Returns what an edge says; of a call that its line does not make, whose line it is."""
    unit, call, what = edge.text.partition(" calls ")
    if not call:
        return edge.text
    name = _NAME.match(what)
    lines = page.source(edge.path).lines
    code = lines[edge.line - 1].partition("//")[0] if 0 < edge.line <= len(lines) else ""
    called = name and re.search(rf"(?<![\w$]){re.escape(name[0])}\s*[(;]", code)
    return edge.text if called else f"{unit} has"


def _answering(result: SearchResult) -> Iterator[tuple[Hit, list[Evidence]]]:
    """Yields the hits that answer by an edge, the best first, with these edges."""
    best = 0.0
    for hit in result.hits[:FILES]:
        edges = [one for one in hit.evidence if one.kind == "relation"]
        # A line that is only quoted says less, where it is not the best of what a hit stands on.
        edges = [one for one in edges if one is hit.evidence[0] or not is_quote(one)][:EDGES]
        score = max((one.score for one in edges), default=0.0)
        best = max(best, score)
        if edges and score >= BEST * best:
            yield hit, edges
