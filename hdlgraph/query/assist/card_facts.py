"""Gathers what a card may say of a file: its purpose, what of it matches, what it is wired to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdlgraph.model import Explanation
from hdlgraph.query.features.graph import FileGraph
from hdlgraph.query.result.line_kinds import is_legal, letters
from hdlgraph.query.result.matches import Worth, worths
from hdlgraph.results import Hit
from hdlgraph.words import places

if TYPE_CHECKING:
    from hdlgraph.query.search import Searcher

MOST_SENTENCES = 80
"""Sentences of an explanation among which one is chosen."""
LONGEST = 400
"""Characters of a sentence that are looked at."""
SAME = 40
"""Letters by which a sentence is known to be a comment that is shown."""
NAMES = 12
"""Units that are gathered on each side of a file."""
INSTANTIATES = "INSTANTIATES"
_STOP = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.) (?=[^a-z\d])|\n")
_PLAIN = re.compile(
    r"(?:Module|Package|Interface|Class|Instantiated in|Instantiates|Used by|Reads|Drives|Computes"
    r"|Keeps in registers|Registers:|Has the blocks) `?\w"
)
"""Beginnings of sentences that list names, or say what path and wiring show already."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card may say of a file.

    `purpose` is one sentence, `match` the sentence of its explanation that says most about the
    question, "" where that is the purpose or none does. `lines` are source lines as `number: text`,
    the best first. `uses` are the units that it instantiates, `users` those that instantiate it, or
    that import or include it where none does.
    """

    purpose: str = ""
    match: str = ""
    lines: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


def card_facts(
    question: str,
    hits: Sequence[Hit],
    searcher: Searcher,
    explanations: Mapping[str, Explanation],
    read_text: Callable[[str], str],
) -> list[CardFacts]:
    """Returns what cards may say of the files of hits, in their order.

    Args:
        question: as asked.
        hits: of the searcher's index.
        searcher: the index.
        explanations: by path.
        read_text: gives a file's text as it was indexed, "" where that is not there any more.
    """
    words = worths(searcher.analyse(question), searcher.lexicon)
    found = []
    for hit in searcher.with_lines(question, hits, read_text):
        one = explanations.get(hit.path)
        purpose, match = _sentences(one, words) if one else (hit.summary, "")
        uses, users = _wired(searcher.graph, searcher.lexicon.number(hit.path))
        lines = tuple(f"{line.line}: {line.text}" for line in hit.lines)
        if any(letters(match)[:SAME] in letters(line.text) for line in hit.lines):
            match = ""  # a comment that is quoted already
        found.append(CardFacts(purpose, match, lines, uses, users))
    return found


def _sentences(one: Explanation, words: Mapping[str, Worth]) -> tuple[str, str]:
    """Returns the first sentence of an explanation, and the one that says most of the words."""
    text = f"{one.purpose}\n{one.behaviour}"
    found = [part[:LONGEST].strip() for part in _STOP.split(text)[:MOST_SENTENCES]]
    found = [part for part in found if part and not is_legal(part)]
    if not found:
        return "", ""
    first = found[0]
    worth = _worth(first, words)
    others = [part for part in found[1:] if not _PLAIN.match(part)]
    gains = [sum(v for k, v in _worth(part, words).items() if k not in worth) for part in others]
    best = max(range(len(others)), key=lambda n: (gains[n], -n), default=None)
    return first, others[best] if best is not None and gains[best] > 0 else ""


def _worth(text: str, words: Mapping[str, Worth]) -> dict[int, float]:
    """Returns what a text says of each term of the question."""
    found: dict[int, float] = {}
    for _, _, term in places(text):
        if term in words:
            number, worth = words[term]
            found[number] = max(found.get(number, 0.0), worth)
    return found


def _wired(graph: FileGraph | None, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the names of the units that a file instantiates, and of those that use it."""
    if graph is None:
        return (), ()
    uses = dict.fromkeys(name for kind, name in graph.below(number) if kind == INSTANTIATES)
    above = list(graph.above(number))
    users = dict.fromkeys(name for kind, name in above if kind == INSTANTIATES)
    users = users or dict.fromkeys(name for _, name in above)
    return tuple(uses)[:NAMES], tuple(users)[:NAMES]
