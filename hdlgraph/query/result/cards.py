"""Short cards of the files that a search found, for readers who pay by the word: models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hdlgraph.model.passage import Passage
from hdlgraph.results import Hit, SearchResult

TEXTS = (300, 200, 140, 100, 70, 45)
"""Characters of a passage's text, the most first; the first that fits is taken."""
TITLE = 100
"""Characters of its title."""
PASSAGES, LEAST = 0.4, 2_000
"""Share of the characters of all cards that passages take at most, of at least so many."""
LINES = 2
"""Source lines on a card."""
CHARACTERS = 390
"""What a card may take on average, in characters of JSON: some 120 tokens."""
WIDTHS = ((200, 100), (140, 76), (110, 60), (90, 48), (70, 36), (48, 24), (24, 0))
"""Characters of the sentence and of a line, the widest first; the first that fits is taken."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`\"'(])")


def cards_of(result: SearchResult) -> dict[str, Any]:
    """Returns the documented JSON object (`schema` 1) of `search --cards`.

    It says of each file what it does in one sentence and shows its two best lines; files that are
    nearly the same are counted on the card of the first. Sentences and lines are shortened until
    the cards keep to CHARACTERS each on average.
    """
    files: list[dict[str, Any]] = []
    room = CHARACTERS * len(result.hits)
    passages = _passage_cards(result.passages, int(PASSAGES * max(room, LEAST)))
    room = max(room - sum(map(_passage_size, passages)), room // 2)
    for sentence, line in WIDTHS:
        files = [_card(hit, sentence, line) for hit in result.hits]
        if sum(_size(card) for card in files) <= room:
            break
    left = max(0, result.total_files - len(files) - sum(len(hit.copies) for hit in result.hits))
    lists = {"files": files, **({"passages": passages} if passages else {})}
    if passages and result.routing is not None and result.routing.first == "passages":
        lists = {"passages": passages, "files": files}
    return {
        "schema": 1,
        "confidence": result.likely or "unknown",
        **lists,
        "more_files": left,
        "notes": list(result.notes),
        "stale": result.stale.to_dict(),
    }


def _passage_cards(passages: Sequence[Passage], room: int) -> list[dict[str, Any]]:
    """Returns the cards of passages, their texts cut until they take `room` characters."""
    found: list[dict[str, Any]] = []
    for width in TEXTS:
        found = [_passage(one, width) for one in passages]
        if sum(map(_passage_size, found)) <= room:
            break
    return found


def _passage_size(card: dict[str, Any]) -> int:
    """Returns the bytes that the card of a passage takes."""
    texts = [card["path"], card["title"], card["text"], *card.get("rtl", ())]
    return 60 + sum(len(text.encode()) for text in texts)


def _passage(one: Passage, width: int) -> dict[str, Any]:
    """Returns where a passage stands, what it is called, and its beginning in few words."""
    place: dict[str, Any] = {"line": one.line} if one.line else {"page": one.page}
    text = " ".join(one.text.split())
    cut = text if len(text) <= width else f"{text[:width].rpartition(' ')[0]}…"
    titles = " > ".join(dict.fromkeys((*one.crumbs[-1:], one.title)))[:TITLE]
    links = [f"{link.path}:{link.line}" for link in one.links[: 2 if width >= 140 else 1]]
    found = {"path": one.path, **place, "kind": one.kind, "title": titles, "text": cut}
    return {**found, "rtl": links} if links else found


def _card(hit: Hit, sentence: int, line: int) -> dict[str, Any]:
    best = sorted(hit.lines[:LINES], key=lambda one: one.line) if line else []
    card: dict[str, Any] = {"path": hit.path, "role": hit.role, "what": _cut(hit, sentence)}
    lines = {str(one.line): _around(one.text, one.marks, line) for one in best}
    if lines:
        card["lines"] = lines
    if hit.copies:
        card["copies"] = len(hit.copies)
    return card


def _cut(hit: Hit, width: int) -> str:
    """Returns the first sentence of what a file does, cut between words."""
    plain = _SENTENCE_END.split(" ".join(hit.summary.split()), maxsplit=1)[0]
    if len(plain) <= width:
        return plain
    head = plain[:width]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:(") + "…"


def _around(text: str, marks: tuple[tuple[int, int], ...], width: int) -> str:
    """Returns a line in one piece of at most `width` characters, its first mark in it."""
    plain = " ".join(text.split())
    if len(plain) <= width:
        return plain
    first = len(" ".join(text[: marks[0][0]].split())) if marks else 0
    start = 0 if first < width * 2 // 3 else max(0, min(first - width // 3, len(plain) - width))
    return f"{'…' * (start > 0)}{plain[start : start + width]}{'…' * (start + width < len(plain))}"


def _size(card: dict[str, Any]) -> int:
    """Returns the bytes that a card takes, so that other scripts than Latin count for more."""
    lines = card.get("lines", {})
    texts = [card["path"], card["what"], *lines.values()]
    return 50 + 12 * len(lines) + sum(len(text.encode()) for text in texts)
