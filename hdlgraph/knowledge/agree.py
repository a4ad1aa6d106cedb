"""Whether a repository means the same by a short form as the general tables do."""

from __future__ import annotations

from collections.abc import Iterable

from hdlgraph.words import STOP_WORDS, split_identifier, stem

AGREE = 0.5
"""Share of the words of the shorter long form that the other has, above which both agree."""


def contradicted(short: str, general: str, defined: Iterable[str]) -> bool:
    """Returns whether a repository defines `short` and by no definition means what `general` says.

    Spellings and shorter wordings of one meaning agree (`control register`, `control and status
    registers`); the short form itself is no word of its meaning (`APB bus`).

    Args:
        short: the short form, in any case.
        general: its long form in a general table.
        defined: the long forms that the repository's comments and documents give it.
    """
    meant = _words(general, short)
    others = [_words(long, short) for long in defined]
    return bool(meant and others) and not any(_same(meant, other) for other in others)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    least = min(len(one), len(other))
    return len(one & other) > AGREE * least if least else True


def _words(text: str, short: str) -> frozenset[str]:
    own = {stem(short.lower())}
    parts = split_identifier(text.replace("-", " "))
    return frozenset(stem(part) for part in parts if part not in STOP_WORDS) - own
