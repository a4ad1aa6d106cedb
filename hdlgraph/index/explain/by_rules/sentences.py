"""Sentences about code in two forms: with its identifiers as written, and in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.index.explain.by_rules.phrases import Vocabulary, capital, finish

FAMILY = 4
"""Names that are told as one family."""
_NUMBER = re.compile(r"\d+")
_PART = re.compile(r"[A-Za-z][A-Za-z0-9]*_+(?=[A-Za-z0-9])")
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


def grouped(names: Iterable[str], limit: int) -> list[str]:
    """Returns the pieces of a list as of `some`, names of one family of a long one told as one.

    Names that differ in their numbers, or that begin alike, are written `ram_*_q` with their count.
    """
    unique = list(dict.fromkeys(names))
    if len(unique) < limit + 2:
        return some(unique, limit)
    numbered = Counter(_NUMBER.sub("*", name) for name in unique)
    first = [_numberless(name, numbered) for name in unique]
    left = [name for name in dict.fromkeys(first) if "*" not in name]
    begun = Counter(_beginning(name) for name in left)
    families: dict[str, list[str]] = {}
    for name, own in zip(unique, first, strict=True):
        alike = own if "*" in own or begun[_beginning(own)] < FAMILY else f"{_beginning(own)}*"
        families.setdefault(alike, []).append(name)
    kept = [(_where_they_differ(alike, own), own) for alike, own in families.items()]
    more = sum(len(own) for _, own in kept[limit:])
    kept = kept[:limit] if more > 1 else kept[: limit + 1]
    pieces: list[str] = []
    for at, (alike, members) in enumerate(kept):
        last = at == len(kept) - 1 and more < 2
        pieces += [" and " if last else ", "] if at else []
        pieces += [Name(alike), f" ({len(members)})"] if "*" in alike else [Name(members[0])]
    return [*pieces, f" and {more} more"] if more > 1 else pieces


def _numberless(name: str, numbered: Mapping[str, int]) -> str:
    """Returns a name with stars for its numbers, where so many names differ in these alone."""
    alike = _NUMBER.sub("*", name)
    return alike if "*" in alike and numbered[alike] >= FAMILY else name


def _where_they_differ(alike: str, names: Sequence[str]) -> str:
    """Returns the pattern of a family with the numbers that all of its names have."""
    numbers = zip(*(_NUMBER.findall(name) for name in names), strict=False)
    parts = [one[0] if len(set(one)) == 1 else "*" for one in numbers]
    if alike.count("*") != len(parts):
        return alike  # names that only begin alike
    given = iter(parts)
    return "".join(next(given) if piece == "*" else piece for piece in re.split(r"(\*)", alike))


def _beginning(name: str) -> str:
    """Returns the first part of a name with the mark behind it, all of a name of one part."""
    found = _PART.match(name)
    return found[0] if found else name


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
