"""What a question leaves out of its answers: "apart from A", "besides B", "RTL, not benches"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from hdlgraph.words import split_identifier, stem

_BUT = re.compile(
    r"\b(?:apart from|aside from|besides|other than|except(?: for)?|excluding|leaving(?: aside)?"
    r"|not counting|ignoring|disregarding|in addition to)\s+(?P<what>.+)", re.I,
)  # fmt: skip
_NOT = re.compile(r"[,(]\s*(?:and )?not (?:(?:of|in|from|by|under) )?(?P<what>[^,;:?()]+)", re.I)
_STOP = re.compile(
    r"[;:?()]|, (?:and )?(?=(?:in |of |to |by )?(?:which|what|who|where)\b)|\baside\b", re.I
)
_TESTS = re.compile(r"\b(?:test\w*|bench(?:es)?|tb|formal|proofs?|simulation)\b", re.I)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SMALL = frozenset("the a an its and or of in all any other own self".split())


class Excluded(NamedTuple):
    """What is left out: its words, stemmed, the names that it writes, and whether tests are."""

    words: frozenset[str]
    names: frozenset[str]
    tests: bool

    def share(self, names: Iterable[str], folders: Sequence[str], test: bool) -> float:
        """Returns how much a file is what is left out, 0 to 1.

        Args:
            names: of its units and of the file itself.
            folders: in which it lies.
            test: whether it is a test or a proof.
        """
        if self.tests and test:
            return 1.0
        most = 0.0
        for name in names:
            if name.lower() in self.names:
                return 1.0
            parts = {stem(part) for part in split_identifier(name)}
            most = max(most, len(parts & self.words) / max(len(parts), 1))
        inside = any(one.lower() in self.names for one in folders)
        return 1.0 if inside else most


NOTHING = Excluded(frozenset(), frozenset(), tests=False)


@lru_cache(maxsize=64)
def excluded(text: str) -> Excluded:
    """Returns what a question leaves out, NOTHING for most."""
    said = []
    but = _BUT.search(text)
    if but:
        said.append(_STOP.split(but["what"], maxsplit=1)[0])
    said += [one["what"] for one in _NOT.finditer(text)]
    words = [word for one in said for word in _WORD.findall(one) if word.lower() not in _SMALL]
    if not words:
        return NOTHING
    written = frozenset(word.lower() for word in words if "_" in word)
    loose = (word for word in words if word.lower() not in written)
    parts = frozenset(stem(part) for word in loose for part in split_identifier(word))
    return Excluded(parts, written, any(_TESTS.search(one) for one in said))
