"""Writes the cards that a model orders: the nearer a file is to the top, the longer its card.

Each of the first FULL files counts FULL_SHARE times a later one when the tokens are shared out;
what a card leaves is there for the next ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.query.assist.card_facts import CardFacts
from hdlgraph.results import Hit

CARDS = 36
FULL = 12
FULL_SHARE = 2.0
LEAST_TOKENS = 32
"""Of a card; fewer cards are shown rather than shorter ones."""
MARK_TOKENS = 5
"""Of the mark that begins a card."""
PATH_CHARS = 200
_MARK = re.compile(r"^<card (\d+)>\n(\S+)", re.M)


@dataclass(frozen=True, slots=True)
class Form:
    """How much a card shows: characters of a sentence and of a line, how many lines and names."""

    sentence: int
    line: int
    lines: int
    names: int
    matches: bool


WIDE = Form(sentence=200, line=120, lines=2, names=4, matches=True)
NARROW = Form(sentence=120, line=80, lines=1, names=2, matches=False)


def shares(count: int, tokens: int) -> list[float]:
    """Returns the part of the tokens that each of `count` cards may take."""
    weights = [FULL_SHARE if n < FULL else 1.0 for n in range(count)]
    return [tokens * weight / sum(weights) for weight in weights]


def fitting(count: int, tokens: int) -> int:
    """Returns how many cards of at least LEAST_TOKENS there are tokens for; at least 2."""
    shown = min(count, CARDS)
    while shown > 2 and shares(shown, tokens)[-1] < LEAST_TOKENS:
        shown -= 1
    return shown


def cards(hits: Sequence[Hit], facts: Sequence[CardFacts], tokens: int) -> list[str]:
    """Returns a card of each hit, numbered from 1, all together in at most about `tokens`."""
    wanted = shares(len(hits), tokens)
    found, left = [], float(tokens)
    for n, (hit, one) in enumerate(zip(hits, facts, strict=True)):
        room = int(left * wanted[n] / sum(wanted[n:]))
        text = card(n + 1, hit, one, room, WIDE if n < FULL else NARROW)
        left -= count_tokens(text) + 1
        found.append(text)
    return found


def card(number: int, hit: Hit, facts: CardFacts, tokens: int, form: Form = WIDE) -> str:
    """Returns what the model sees of a file, in at most about `tokens` tokens.

    The file's text cannot begin another card.
    """
    role = f" ({hit.role})" if hit.role not in ("", "rtl") else ""
    lines = [one_line(hit.path, PATH_CHARS) + role, _cut(facts.purpose, form.sentence)]
    lines += [_cut(line, form.line) for line in facts.lines[:1]]
    lines.append(_wiring(facts, form.names))
    lines += [_cut(line, form.line) for line in facts.lines[1 : form.lines]]
    lines += [_cut(facts.match, form.sentence)] if form.matches else []
    text = "\n".join(line for line in lines if line)
    body = clip_tokens(quoted(text, "card", "cards", "question"), tokens - MARK_TOKENS).rstrip()
    return f"<card {number}>\n{body}"


def _wiring(facts: CardFacts, most: int) -> str:
    sides = (("instantiates", facts.uses), ("in", facts.users))
    return "; ".join(f"{label} {_names(names, most)}" for label, names in sides if names)


def _names(names: Sequence[str], most: int) -> str:
    more = f" +{len(names) - most}" if len(names) > most else ""
    return ", ".join(one_line(name, 60) for name in names[:most]) + more


def _cut(text: str, width: int) -> str:
    """Returns a text on one line of at most about `width` characters, cut between words."""
    plain = one_line(text, width + 1)
    return plain if len(plain) <= width else (plain.rpartition(" ")[0] or plain[:width]) + "…"


def count_of(prompt: str) -> int:
    """Returns how many cards a prompt shows."""
    return len(_MARK.findall(prompt))


def paths_of(prompt: str) -> list[str]:
    """Returns the paths on the cards of a prompt."""
    return [found[1] for found in _MARK.findall(prompt)]
