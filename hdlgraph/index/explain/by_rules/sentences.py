"""Sentences about code in two forms: with its identifiers as written, and in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hdlgraph.index.explain.by_rules.phrases import Vocabulary, capital, finish

_PLACEHOLDER = re.compile(r"^_([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)_(?=_|$)")
"""What a reader makes of `$NAME$` in a template."""


class Name(str):
    """An identifier inside a sentence."""

    __slots__ = ()


Sentence = tuple[str, ...]
"""Pieces of one sentence; those that are a `Name` are identifiers."""


def named(names: Iterable[str], limit: int = 8, last: str = " and ") -> list[str]:
    """Returns the pieces of "a, b and c", of at most `limit` names."""
    chosen = [Name(name) for name in list(dict.fromkeys(names))[:limit]]
    out: list[str] = []
    for i, name in enumerate(chosen):
        if i:
            out.append(last if i == len(chosen) - 1 else ", ")
        out.append(name)
    return out


def some(names: Iterable[str], limit: int) -> list[str]:
    """Returns the pieces of a list that says how many names it leaves out."""
    unique = list(dict.fromkeys(names))
    more = len(unique) - limit
    if more < 2:
        return named(unique, limit + 1)
    return [*named(unique, limit, ", "), f" and {more} more"]


def as_written(name: str) -> str:
    """Returns a name as its file writes it, the placeholders of a template included."""
    return _PLACEHOLDER.sub(r"$\1$", name.lstrip("`"))


def written(sentence: Sentence) -> str:
    """Returns a sentence with its identifiers as they stand in the code, in backticks."""
    text = "".join(
        f"`{as_written(piece)}`" if isinstance(piece, Name) else piece for piece in sentence
    )
    return finish(capital(text))


def spelled(sentence: Sentence, vocabulary: Vocabulary) -> str:
    """Returns a sentence with its identifiers in plain words."""
    pieces = [vocabulary.words(p) if isinstance(p, Name) else p for p in sentence]
    return finish(capital(" ".join("".join(pieces).split())))


def without_repeats(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Returns sentences in order, each once."""
    return list(dict.fromkeys(sentences))
