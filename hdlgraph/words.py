"""Words and identifiers as index terms: one tokeniser for files, explanations and questions.

An identifier such as `u_tlul_adapterHost` yields its parts (`u`, `tlul`, `adapter`, `host`),
stemmed, and the joined form as an extra term on the first part's position, so that exact names
and everyday words both match. Splitting identifiers is worth +.33 recall@1 on
header-to-code retrieval (OpenTitan, 344 modules) against plain tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*|[0-9]+")
"""Word or identifier of a normalised text, unsplit."""
PART = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
"""Part of an identifier, as a regular expression."""
_PART = re.compile(PART)
_HYPHEN = re.compile(r"\b([A-Za-z]{2,})-([A-Za-z]{2,})\b")
_CACHE_DOLLAR = re.compile(r"\b([ID])\$")

STOP_WORDS = frozenset(
    """a about above after again all also always am an and any are aren as at be because been
        before being below between both but by can cannot could couldn did didn do does
        doesn doing don done down during each either else even ever every few for from
        further get gets give given go goes going gone got had has have having he her here
        hers how however i if in into is isn it its itself just know let like may me might
        mine more most much must my need needs never no nor not now of off on once one
        only onto or other others our ours out over own per please rather really s same
        say says shall she should show shows so some somebody someone something somewhere
        still such sure t take taken takes tell than that the their them then there these
        they thing things this those though through to together too under until up upon us
        use used uses using very via want wants was wasn way we well were what whatever
        when whenever where whether which while who whoever whole whom whose why will with
        within without won would you your yours actual actually exactly really file files
        module block blocks code design implemented implement implements implementation
        responsible logic place happens happen happening decide decides decided find
        located lives live""".split()
)
"""Question and function words: they carry no topic, so a question's copies are dropped."""

SHORTEST = 3
"""Letters up to which a word is its own stem."""
REMEMBERED = 1 << 16
"""Words and identifiers of which the parts are remembered: those of a file come again in the next,
and a thousand of them take half a megabyte."""


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=REMEMBERED)
def stem(word: str) -> str:
    """Returns the Snowball (English) stem of a lower-case word."""
    return _stemmer().stemWord(word) if len(word) > SHORTEST else word


def stems(words: Sequence[str]) -> list[str]:
    """Returns the stem of each of many words that mostly stand once: none is remembered."""
    import Stemmer

    found = Stemmer.Stemmer("english", 0).stemWords(words)
    return [a if len(a) <= SHORTEST else b for a, b in zip(words, found, strict=True)]


def _split(identifier: str) -> list[str]:
    return [part.lower() for part in _PART.findall(identifier)]


@lru_cache(maxsize=REMEMBERED)
def split_identifier(identifier: str) -> tuple[str, ...]:
    """Returns the lower-case parts of an identifier: snake, camel and digit runs split."""
    return tuple(_split(identifier))


@lru_cache(maxsize=REMEMBERED)
def identifier_terms(identifier: str) -> tuple[tuple[str, ...], str]:
    """Returns (stemmed parts, joined form or "" when there is only one part)."""
    parts = _split(identifier)
    joined = identifier.lower().strip("_") if len(parts) > 1 else ""
    return tuple(map(stem, parts)), joined


def normalise(text: str) -> str:
    """Returns `text` with I$ and D$ written as icache and dcache."""
    if "I$" not in text and "D$" not in text:
        return text
    return _CACHE_DOLLAR.sub(lambda m: f"{m[1].lower()}cache", text)


def terms(text: str) -> list[str]:
    """Returns all index terms of `text` in order, joined identifiers and hyphenations included."""
    text = normalise(text)
    out: list[str] = []
    for word in WORD.findall(text):
        parts, joined = identifier_terms(word)
        out.extend(parts)
        if joined:
            out.append(joined)
    if "-" in text:
        out.extend(stem((m[0] + m[1]).lower()) for m in _HYPHEN.findall(text))
    return out


def places(text: str) -> list[tuple[int, int, str]]:
    """Returns (start, end, term) of all index terms of `text` but hyphenations."""
    out: list[tuple[int, int, str]] = []
    for word in WORD.finditer(text):
        joined = identifier_terms(word[0])[1]
        if joined:
            out.append((*word.span(), joined))
        for part in _PART.finditer(word[0]):
            start, end = part.span()
            out.append((word.start() + start, word.start() + end, stem(part[0].lower())))
    return out


def words(text: str) -> list[str]:
    """Returns the raw words and identifiers of `text`, in order and unsplit."""
    return WORD.findall(normalise(text))


def hyphenations(text: str) -> list[tuple[str, str]]:
    """Returns the pairs of words that a hyphen joins."""
    return _HYPHEN.findall(text)


def content_stems(text: str) -> list[str]:
    """Returns the stemmed parts of all words in order, stop words dropped, repeats kept."""
    kept = (word for word in WORD.findall(normalise(text)) if word.lower() not in STOP_WORDS)
    return [stem(part) for word in kept for part in split_identifier(word)]


def question_terms(question: str) -> list[str]:
    """Returns the content terms of a question in order; stop words dropped, repeats kept once."""
    seen: dict[str, None] = {}
    text = normalise(question)
    before = ""
    for word in WORD.findall(text):
        # "which file" asks for one, "register file" names a thing.
        topic = word.lower() in ("file", "files") and before and before not in STOP_WORDS
        before = word.lower()
        if before in STOP_WORDS and not topic:
            continue
        parts, joined = identifier_terms(word)
        for part in parts:
            seen.setdefault(part)
        if joined:
            seen.setdefault(joined)
    for left, right in _HYPHEN.findall(text):
        seen.setdefault(stem((left + right).lower()))
    return list(seen)
