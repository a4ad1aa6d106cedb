"""A phrase that names something: its words, what may stand for them in names, its context."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hdlgraph.knowledge.projects import Projects
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import analyse
from hdlgraph.query.question.contractions import Defined, contraction_table
from hdlgraph.words import STOP_WORDS, split_identifier, stem

_WORD = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*|\d+")
_IDENTIFIER = re.compile(
    r"[A-Za-z0-9$]+_[\w$]*|[a-z]+[A-Z]\w*|\w+\.\w+|\w+::\w+|_\w+|[A-Z][a-z]+[A-Z]\w*"
)
_SUFFIX = re.compile(r"(?<=\w)\.s?vh?\b")
_CONTEXT = re.compile(
    r"\s+(?:of|in|inside|within|for|from|on|at|around|by|with|to|that|which|under|between|into"
    r"|belonging to|going to|coming from|used by|used in)\s+",
    re.I,
)
KIND_WORDS = frozenset(
    stem(word)
    for word in """module unit block file core ip component design instance cell entity interface
    class package logic circuit part hardware signal net wire line port pin input output bus stage
    type struct parameter define macro option flag value""".split()
)
"""Words that say of what kind a thing is; names mostly leave them out."""
KIND_SHARE = 0.25
_DROPPED = STOP_WORDS - frozenset(
    "file module block back front read write before after up down".split()
)
SYNONYM, PREFIX, MISSPELT, ACRONYM, SHORT = 0.6, 0.75, 0.8, 0.85, 0.95
"""How well a part of a name matches what a phrase says: by another word for it, cut short, by
the abbreviation of a word spelt nearly so, by first letters, by a known abbreviation."""
LEAST, ALIKE = 5, 0.82
"""Letters of a misspelt word, and how much those are the ones of another."""


@dataclass(frozen=True, slots=True)
class Stand:
    """What may stand in a name for words `first` to `last` of a phrase, and how well it does."""

    token: str
    first: int
    last: int
    worth: float


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase: `words` are its stemmed content words, the first `n_head` of what it names itself.

    The words after them are of its context: "receiver" and "uart" in "the receiver of the uart".
    `identifiers` are those written like names, `rest` is the text of the context.
    """

    text: str
    words: tuple[str, ...]
    n_head: int
    identifiers: tuple[str, ...]
    rest: str
    stands: tuple[Stand, ...]

    def __hash__(self) -> int:
        """Returns a hash of what mostly tells phrases apart: that of all stands takes longer."""
        return hash((self.text, self.n_head))


def read_phrase(text: str, lexicon: Lexicon) -> Phrase:
    """Returns what a phrase says."""
    text = _SUFFIX.sub("", text).replace("-", " ").replace("'s ", " ").replace("`", "")
    head, rest = _parted(text)
    first, more = _content(head), _content(rest)
    if not first:
        first, more = more, []
    words = (*first, *more)
    return Phrase(
        text, words, len(first), tuple(_identifiers(text)), rest,
        tuple(_stands(words, len(first), text, lexicon)),
    )  # fmt: skip


def _parted(text: str) -> tuple[str, str]:
    """Returns what a phrase names, and what it says of its surroundings."""
    found = _CONTEXT.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _content(text: str) -> list[str]:
    out = []
    for word in _WORD.findall(text):
        if word.lower() not in _DROPPED:
            out += [stem(part) for part in split_identifier(word)]
    return out


def _identifiers(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if _IDENTIFIER.fullmatch(word)]


@lru_cache(maxsize=8)
def _short_forms(projects: Projects, defined: Defined) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Returns words, stemmed -> the short forms that stand for them in names."""
    table: dict[tuple[str, ...], dict[str, None]] = {}
    for words, shorts in contraction_table(projects, defined).items():
        for short in shorts:
            table.setdefault(words, {}).setdefault(stem(short))
    return {key: tuple(found) for key, found in table.items()}


def _stands(words: Sequence[str], n_head: int, text: str, lexicon: Lexicon) -> list[Stand]:
    """Returns all that may stand for words of a phrase in a name."""
    found: list[Stand] = []
    short = _short_forms(lexicon.projects, lexicon.defined)
    for first, word in enumerate(words):
        found.append(Stand(word, first, first, 1.0))
        for last in range(first, min(first + 5, len(words))):
            run = tuple(words[first : last + 1])
            found += [Stand(one, first, last, SHORT) for one in short.get(run, ())]
            if last > first:
                found.append(Stand("".join(run), first, last, 1.0))
                letters = "".join(one[0] for one in run)
                worth = ACRONYM if len(run) > 2 or len(run) == n_head else 0.6
                found.append(Stand(letters, first, last, worth))
        if not lexicon.document_frequency(word):
            found += [Stand(one, first, first, MISSPELT) for one in _nearly(word, short)]
    groups = {group.term: group.members[1:] for group in analyse(text, lexicon).groups}
    for at, word in enumerate(words):
        found += [Stand(other, at, at, SYNONYM) for other, _ in groups.get(word, ())]
    return found


def _nearly(word: str, short: Mapping[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the short forms of the word that one which no file has is nearly spelt like."""
    if len(word) < LEAST:
        return ()
    known = sorted(key[0] for key in short if len(key) == 1 and key[0][0] == word[0])
    near = difflib.get_close_matches(word, known, n=1, cutoff=ALIKE)
    return short[near[0],] if near else ()
