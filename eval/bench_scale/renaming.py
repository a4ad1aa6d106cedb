"""Renames the identifiers of one copy of the designs: one part of a name always becomes the same.

A copy has the words of its designs in another order: parts are exchanged among those that stand in
about as many files, and as many new ones are coined as Heaps' law, fitted to the real designs,
expects of so many files more. Words that most designs have stay, as in the next company's code,
and so do those of languages and formats. Names are joined of the same number of parts as before, so
that what one file calls by name the other files of the copy still define.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from hdlgraph.eval.bench_scale.sources import Words
from hdlgraph.words import split_identifier

BAND = 150
"""Parts of about the same frequency that are exchanged among each other."""
SHARED = 0.65
"""Least share of the designs that has a part which every copy keeps."""
RARE = 2
"""Parts of so many designs at most give way to coined ones."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WORD = re.compile(r"[A-Za-z_][\w$]*")
_ONSETS = "b br c ch d dr f fl g gr h j k kl l m n p pl qu r s sh sk sl st t th tr v w y z".split()
_NUCLEI = "a ai e ea i io o ou u".split()
_CODAS = "n r l s t m x nd rk lt ck p".split()


class Renaming:
    """Gives each name of a copy another one; the same in all its files.

    Args:
        parts: parts of names (lower case) -> what stands for them.
        units: names of units and macros whose parts all stay, which get `mark` before them.
        mark: a word that no other copy has; "" for the copy that keeps its names.
    """

    def __init__(self, parts: Mapping[str, str], units: frozenset[str], mark: str) -> None:
        self._parts = parts
        self.mark = mark
        self._units = frozenset(n for n in units if mark and self._by_parts(n) == n)
        self._known: dict[str, str] = {}

    @property
    def is_original(self) -> bool:
        """Returns whether nothing is renamed."""
        return not self.mark

    def name(self, name: str) -> str:
        """Returns what stands for an identifier."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._renamed(name)
        return found

    def path(self, path: str) -> str:
        """Returns a path whose names are renamed; suffixes and folders that show a role stay."""
        return _WORD.sub(lambda found: self.name(found[0]), path)

    def _renamed(self, name: str) -> str:
        if self.is_original or name.lower().startswith("uvm_"):
            return name
        return f"{self.mark}_{name}" if name in self._units else self._by_parts(name)

    def _by_parts(self, name: str) -> str:
        return _PART.sub(self._part, name)

    def _part(self, found: re.Match[str]) -> str:
        old = found[0]
        new = self._parts.get(old.lower())
        if new is None:
            return old
        if old.isupper():
            return new.upper()
        return new.capitalize() if old[0].isupper() else new


def renamings(words: Words, n_designs: int, n_files: int, seed: int) -> Iterator[Renaming]:
    """Yields the renaming of copy 0, which keeps all names, then of copy 1, 2 and so on.

    Args:
        words: the words of the designs.
        n_designs: how many designs there are.
        n_files: HDL files of one copy.
        seed: the same gives the same names.
    """
    yield Renaming({}, frozenset(), "")
    kept = kept_parts() | {p for p, n in words.designs.items() if n >= SHARED * n_designs}
    own = [p for p in words.files if len(p) > 2 and p not in kept]
    own.sort(key=lambda p: (-words.files[p], p))
    common = [p for p in own if words.designs[p] > RARE]
    rare = [p for p in own if words.designs[p] <= RARE]
    coin = coined(random.Random(f"words {seed}"), frozenset(words.files) | kept)
    pool = list(rare)
    copy = 0
    while True:
        copy += 1
        chance = random.Random(f"copy {seed} {copy}")
        fresh = [next(coin) for _ in range(min(len(rare), _expected(words, n_files, copy)))]
        taken = chance.sample(pool, len(rare) - len(fresh)) + fresh
        chance.shuffle(taken)
        pool += fresh
        mapped = dict(zip(rare, taken, strict=True)) | _exchanged(common, chance)
        yield Renaming(mapped, words.units, next(coin))


def _expected(words: Words, n_files: int, copy: int) -> int:
    """Returns how many parts are new in a copy, by Heaps' law."""
    factor, beta = words.growth
    return round(factor * (((copy + 1) * n_files) ** beta - (copy * n_files) ** beta))


def _exchanged(parts: Sequence[str], chance: random.Random) -> dict[str, str]:
    found: dict[str, str] = {}
    for start in range(0, len(parts), BAND):
        band = parts[start : start + BAND]
        found.update(zip(band, chance.sample(band, len(band)), strict=True))
    return found


def coined(chance: random.Random, known: frozenset[str]) -> Iterator[str]:
    """Yields words that nobody wrote yet, of two or three syllables, none twice."""
    seen = set(known)
    while True:
        syllables = [
            chance.choice(_ONSETS) + chance.choice(_NUCLEI) + chance.choice(_CODAS)
            for _ in range(chance.choice((2, 2, 3)))
        ]
        word = "".join(syllables)
        if word not in seen:
            seen.add(word)
            yield word


@lru_cache(maxsize=1)
def kept_parts() -> frozenset[str]:
    """Returns the parts of the words that languages, methods and formats have."""
    text = (files("hdlgraph.eval") / "data/scale/kept.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("#", "["))]
    return frozenset(p for word in " ".join(lines).split() for p in split_identifier(word))
