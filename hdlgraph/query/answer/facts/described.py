"""Which unit a question describes without its name, by the words and initials of the phrase."""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import is_unit
from hdlgraph.results import Answer
from hdlgraph.words import content_stems, split_identifier, stem

AMONG = 12  # hits whose units may be meant
DESCRIPTION_WEIGHT = 0.5  # worth of a word that only the description of a file has
BODY = 30  # lines of a small unit that is shown whole
_NAMED_UNIT = re.compile(r"^(?:Most likely|Also) .*, module ([\w$]+):$", re.M)


def described(graph: Graph, answer: Answer, phrase: str) -> list[str]:
    """Returns the unit that a phrase describes; the first that the answer describes in doubt.

    A word counts where a part of the unit's name says it, a run of words where a part has their
    initials, and less where the description of the file has it.
    """
    units = _NAMED_UNIT.findall(answer.text)
    words = re.findall(r"[A-Za-z0-9]+", phrase.lower())
    asked = set(content_stems(phrase))
    worth: dict[str, float] = dict.fromkeys(units[:1], 0.0)
    for unit, _, _, _, summary in _offered(graph, answer):
        worth[unit] = max(worth.get(unit, 0.0), _worth(unit, summary, words, asked))
    return sorted(worth, key=lambda unit: -worth[unit])[:1]


def add_body(page: FactPage, graph: Graph, answer: Answer, unit: str) -> None:
    """Adds the text of a small unit that the answer does not describe."""
    if unit in _NAMED_UNIT.findall(answer.text):
        return
    for name, path, line, end, _ in _offered(graph, answer):
        lines = page.source(path).lines
        if name != unit or not 0 < line <= end <= len(lines) or unit not in lines[line - 1]:
            continue
        code = [n for n in range(line, end + 1) if lines[n - 1].strip()]
        if len(code) <= BODY:
            page.code(path, page.source(path), code)
        return


def _offered(graph: Graph, answer: Answer) -> list[tuple[str, str, int, int, str]]:
    """Returns (unit, path, line, end line, description) of the units of the best hits, in order."""
    order = {hit.path: (number, hit) for number, hit in enumerate(answer.result.hits[:AMONG])}
    columns = [graph.nodes.column(c) for c in ("kind", "name", "path", "line", "end_line")]
    found = []
    for kind, name, path, line, end in zip(*columns, strict=True):
        if path in order and is_unit(kind) and kind == NodeKind.MODULE.value:
            number, hit = order[path]
            found.append((number, line, (name, path, line, end, hit.summary)))
    return [one for *_, one in sorted(found, key=lambda entry: entry[:2])]


def _worth(unit: str, summary: str, words: list[str], asked: set[str]) -> float:
    parts = {part.lower() for part in split_identifier(unit)}
    stems = {stem(part) for part in parts}
    described = set(content_stems(summary))
    worth = sum(
        1.0 if one in stems else DESCRIPTION_WEIGHT if one in described else 0.0 for one in asked
    )
    for first in range(len(words)):
        for last in range(first + 3, len(words) + 1):
            initials = "".join(word[0] for word in words[first:last])
            if initials in parts:
                worth = max(worth, float(last - first))
    return worth
