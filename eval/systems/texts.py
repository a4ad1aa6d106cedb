"""What the baselines read: the files of a corpus as text, and two plain tokenisers.

Own tokenisers on purpose: a baseline must not move when hdlgraph's own tokeniser does.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError

Tokenise = Callable[[str], list[str]]

_WORD = re.compile(r"[A-Za-z0-9_$]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

STOP_WORDS = frozenset(
    """a about all also an and any are as at be been but by can could did do does done each
        either every for from get given go goes had has have how if in into is it its
        itself just may me more most must no not of off on once one only or other our out
        over own per s same shall should so some such t take than that the their them then
        there these they thing this those through to too under until up us use used uses
        using was we well were what when where whether which while who whom whose why will
        with within without would you your""".split()
)
"""English function and question words; dropped from questions by `stemmed_parts` users."""


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def plain_words(text: str) -> list[str]:
    """Returns the words of `text` in lower case, identifiers whole."""
    return [word.lower() for word in _WORD.findall(text)]


@lru_cache(maxsize=500_000)
def _parts(word: str) -> tuple[str, ...]:
    parts = [part.lower() for part in _PART.findall(word)]
    return tuple(_stemmer().stemWords(parts))


def stemmed_parts(text: str) -> list[str]:
    """Returns the stemmed parts of all words: snake, camel and digit runs split."""
    return [part for word in _WORD.findall(text) for part in _parts(word)]


def content_words(text: str) -> list[str]:
    """Returns the words of a question as written, without its function words."""
    return [word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS]


def content_parts(text: str) -> list[str]:
    """Returns `stemmed_parts` of a question without its function words (all if none is left)."""
    return [part for word in content_words(text) for part in _parts(word)] or stemmed_parts(text)


def read_code(root: Path, paths: Sequence[str]) -> list[str]:
    """Returns path and text of each file below `root`, as a baseline indexes them.

    Raises:
        UsageError: a file is gone or lies outside the root.
    """
    base = root.resolve()
    return [f"{path}\n{_read(base, path)}" for path in paths]


def _read(root: Path, path: str) -> str:
    place = (root / path).resolve()
    if not place.is_relative_to(root):
        raise UsageError(f"{path}: lies outside {root}; leave it out of the corpus")
    try:
        data = place.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{root / path}: {error.strerror}; bring the index up to date with `hdlgraph index`"
        ) from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
