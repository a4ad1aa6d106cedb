"""Finds the nodes whose names fit a phrase, by the parts of their names."""

from __future__ import annotations

import difflib
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from hdlgraph.model import NodeKind
from hdlgraph.query.relations.design import NETS, SETTINGS, TYPES, Design
from hdlgraph.query.relations.name_parts import NameParts, run_together
from hdlgraph.query.relations.phrase import KIND_SHARE, KIND_WORDS, PREFIX, SHORT, Phrase, Stand
from hdlgraph.words import split_identifier, stem

LEAST_PREFIX = 3
"""Letters of a word cut short, such as `arb`."""
GENERIC = frozenset("top core wrap wrapper i u o e t s v sv tb pkg gen generic inst impl".split())
GENERIC_SHARE = 0.35
"""Parts of names that say little of what they name, and how much of their rareness counts."""
SHARED = 400
"""A token that more names have finds none by itself."""
MISSPELT, COMPOUND = 0.8, 0.9
PRECISE = 0.35
"""Share of a match that falls off with parts of the name that the phrase does not say."""
CONTEXT = 0.5
"""Weight of a word that tells the surroundings of what is named."""
ABOVE, LETTERS = 12, 200
"""Units above one, and letters of a comment, whose words tell the surroundings of a name."""
_NONE = frozenset[str]()
KEPT, NAMES = 64, 50_000
"""Phrases of which what was found is kept: those of one question are looked up again and again; and
names whose parts are kept. Then all are forgotten."""


class Name(NamedTuple):
    """A name as it is spelt.

    `tokens` are its parts, then these run together where they are several; `rare` is how rare each
    part is, and `total` the sum of that.
    """

    tokens: tuple[str, ...]
    rare: tuple[float, ...]
    total: float


class Looked(NamedTuple):
    """What a phrase means among some names.

    `stands` is, for each token of a name, what of the phrase it stands for, `weights` how much each
    word tells names apart, and `scores` how well those names fit that were compared so far. `spelt`
    is what the spellings of these say, None of one that says nothing of what is named; names are
    mostly spelt as others are. `tokens` are those of `phrase.stands`, and `fits` how well a
    spelling fits with those of them that are around it.
    """

    stands: dict[str, list[Stand]]
    weights: list[float]
    scores: dict[int, float]
    spelt: dict[int, Spelt | None]
    tokens: frozenset[str]
    fits: dict[tuple[int, frozenset[str]], float]


class Spelt(NamedTuple):
    """How well a spelling says each word of a phrase, and how much of it the phrase says."""

    covered: list[float]
    precision: float


class NameIndex:
    """The parts of the names of some nodes.

    Args:
        design: the design.
        rows: the nodes.
        around: gives words about the surroundings of a node: of its path, of its parents.
    """

    def __init__(
        self, design: Design, rows: Iterable[int], around: Callable[[int], frozenset[str]]
    ) -> None:
        self._around = around
        self._rows = np.fromiter(rows, np.int64)
        self._parts = NameParts(*design.last_names(self._rows))
        places = np.full(len(design.names), -1, np.int32)
        places[self._rows] = np.arange(len(self._rows), dtype=np.int32)
        self._places = places.data  # one by one they are read twice as fast so
        self._near: dict[int, frozenset[str]] = {}
        self._names: dict[int, Name] = {}
        self._idf: dict[str, float] = {}
        self._kept: dict[Phrase, Looked] = {}
        self._total = max(len(self._rows), 1)

    def tokens(self, row: int) -> tuple[str, ...]:
        """Returns the parts of the name of one of the nodes."""
        return self._parts.of(self._places[row])

    def idf(self, token: str) -> float:
        """Returns how rare a part is among the names, 0 to 1."""
        known = self._idf.get(token)
        if known is None:
            known = self._idf[token] = self._rareness(token)
        return known

    def _rareness(self, token: str) -> float:
        count = self._parts.count_of(token)
        share = GENERIC_SHARE if token in GENERIC else 1.0
        return share * math.log1p(self._total / (count + 0.5)) / math.log1p(self._total / 0.5)

    def scores(self, phrase: Phrase, among: Iterable[int] | None = None) -> dict[int, float]:
        """Returns how well each name that fits a phrase does so, 0 to 1.

        Args:
            phrase: what is named.
            among: only these rows; None looks in all.
        """
        if not phrase.words:
            return {}
        looked = self._looked(phrase)
        if among is None:
            rows: dict[int, None] = {}
            for token in looked.stands:
                if self._parts.count_of(token) <= SHARED:
                    found = self._parts.having(token)
                    rows.update(dict.fromkeys(self._rows[found].tolist()))
        else:
            rows = {row: None for row in among if self._places[row] >= 0}
        known = looked.scores
        for row in rows:
            if row not in known:
                known[row] = self._score(row, phrase, looked)
        return {row: known[row] for row in rows if known[row] > 0}

    def score(self, phrase: Phrase, row: int) -> float:
        """Returns how well one name fits a phrase: what `scores` says of it, 0 for none of it."""
        if not phrase.words or self._places[row] < 0:
            return 0.0
        looked = self._looked(phrase)
        own = self._name(self._parts.spelling(self._places[row])).tokens
        if not any(t in looked.stands and self._parts.count_of(t) <= SHARED for t in own):
            return 0.0
        if row not in looked.scores:
            looked.scores[row] = self._score(row, phrase, looked)
        return max(looked.scores[row], 0.0)

    def _looked(self, phrase: Phrase) -> Looked:
        """Returns what is known of a phrase, which is kept."""
        found = self._kept.get(phrase)
        if found is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            stands = self._known(phrase)
            tokens = frozenset(stand.token for stand in phrase.stands)
            found = Looked(stands, self._weights(phrase, stands), {}, {}, tokens, {})
            self._kept[phrase] = found
        return found

    def _known(self, phrase: Phrase) -> dict[str, list[Stand]]:
        """Returns token of some name -> what of the phrase it stands for."""
        found: dict[str, list[Stand]] = {}
        for stand in phrase.stands:
            if stand.token in self._parts:
                found.setdefault(stand.token, []).append(stand)
        for at, word in enumerate(phrase.words):
            for token, worth in self._like(word):
                found.setdefault(token, []).append(Stand(token, at, at, worth))
        for at in range(len(phrase.words) - 1):
            for token in self._compounds(phrase, at):
                found.setdefault(token, []).append(Stand(token, at, at + 1, COMPOUND))
        return found

    def _compounds(self, phrase: Phrase, at: int) -> Iterable[str]:
        """Yields tokens that are two words run together, both perhaps cut short: `regfile`."""
        first, second = phrase.words[at], phrase.words[at + 1]
        starts = {first[:end] for end in range(LEAST_PREFIX, len(first) + 1)} | {first[:1]}
        starts |= {
            s.token for s in phrase.stands if (s.first, s.last) == (at, at) and s.worth > 0.9
        }
        ends = {s.token for s in phrase.stands if (s.first, s.last) == (at + 1, at + 1)
                and s.worth > 0.9}  # fmt: skip
        for start in sorted(starts):
            for end in sorted(ends):
                if (both := stem(start + end)) in self._parts:
                    yield both
            if len(start) >= LEAST_PREFIX:
                low = bisect_left(self._parts.known, start)
                for token in self._parts.known[low : low + 40]:
                    rest = token.removeprefix(start)
                    if len(rest) >= LEAST_PREFIX and rest != token and second.startswith(rest):
                        yield token

    def _like(self, word: str) -> Iterable[tuple[str, float]]:
        """Yields tokens that are a word cut short, or of which a word is the beginning."""
        if len(word) <= LEAST_PREFIX:
            return
        for end in range(LEAST_PREFIX, len(word)):
            if word[:end] in self._parts:
                yield word[:end], PREFIX * (0.8 if end < 4 else 1.0)
        at = bisect_left(self._parts.known, word)
        near = self._parts.known[at : at + 40]
        longer = [one for one in near if one.startswith(word) and one != word]
        for token in longer:
            yield token, PREFIX
        if word not in self._parts and not longer and len(word) > 4:
            alike = [one for one in self._parts.known if abs(len(one) - len(word)) < 3
                     and one[0] == word[0]]  # fmt: skip
            for token in difflib.get_close_matches(word, alike, n=2, cutoff=0.82):
                yield token, MISSPELT

    def _weights(self, phrase: Phrase, stands: dict[str, list[Stand]]) -> list[float]:
        """Returns how much each word of a phrase tells names apart."""
        rarest = [0.0] * len(phrase.words)
        for token, found in stands.items():
            for stand in found:
                for at in range(stand.first, stand.last + 1):
                    rarest[at] = max(rarest[at], self.idf(token) * stand.worth)
        out = []
        for at, word in enumerate(phrase.words):
            weight = rarest[at] or 0.7
            weight *= KIND_SHARE if word in KIND_WORDS else 1.0
            out.append(weight * (1.0 if at < phrase.n_head else CONTEXT))
        return out

    def _score(self, row: int, phrase: Phrase, looked: Looked) -> float:
        spelt = self._parts.spelling(self._places[row])
        if spelt not in looked.spelt:
            looked.spelt[spelt] = self._spelt(self._name(spelt), phrase, looked)
        said = looked.spelt[spelt]
        if said is None:
            return 0.0
        around = _NONE
        if phrase.n_head < len(said.covered) or not all(said.covered):
            every = self._near.get(row)
            if every is None:
                every = self._near[row] = self._around(row)
            around = every & looked.tokens
        fit = looked.fits.get((spelt, around))
        if fit is None:
            covered = _with_around(said.covered, phrase, around)
            weighed = zip(looked.weights, covered, strict=True)
            total = sum(looked.weights)
            recall = sum(w * c for w, c in weighed) / total if total else 0.0
            fit = recall * (1 - PRECISE + PRECISE * said.precision)
            looked.fits[spelt, around] = fit
        return fit

    def _name(self, spelt: int) -> Name:
        """Returns the name that is spelt in one way, which is kept."""
        found = self._names.get(spelt)
        if found is None:
            if len(self._names) >= NAMES:
                self._names.clear()
            own = self._parts.parts(spelt)
            rare = tuple(map(self.idf, own))
            joined = (run_together(own),) if len(own) > 1 else ()
            found = self._names[spelt] = Name((*own, *joined), rare, sum(rare))
        return found

    def _spelt(self, name: Name, phrase: Phrase, looked: Looked) -> Spelt | None:
        """Returns what a name says of a phrase by itself."""
        covered = [0.0] * len(looked.weights)
        said = 0.0
        own = name.tokens[: len(name.rare)]
        for token, rare in zip_longest(name.tokens, name.rare):
            best = 0.0
            for stand in looked.stands.get(token, ()):
                best = max(best, stand.worth)
                for at in range(stand.first, stand.last + 1):
                    covered[at] = max(covered[at], stand.worth)
            if rare is not None:
                said += best * rare
            elif token in own:
                said += best * self.idf(token)
            elif best >= SHORT:
                said = name.total
        if not any(covered[: phrase.n_head]):
            return None
        return Spelt(covered, min(1.0, said / (name.total or 1.0)))


def _with_around(covered: list[float], phrase: Phrase, around: frozenset[str]) -> list[float]:
    """Returns how well a name says each word of a phrase together with what is around it."""
    covered = covered.copy()
    for stand in phrase.stands:
        if stand.token in around:
            for at in range(stand.first, stand.last + 1):
                share = 0.9 if at >= phrase.n_head else 0.55
                covered[at] = max(covered[at], share * stand.worth)
    return covered


class NameTables:
    """The names of a design by kind, each kind read when it is first asked for."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._placed: dict[tuple[str, str], frozenset[str]] = {}

    @cached_property
    def units(self) -> NameIndex:
        """Returns the names of design units."""
        return NameIndex(self._design, self._design.units, self._around_unit)

    @cached_property
    def classes(self) -> NameIndex:
        """Returns the names of classes."""
        rows = self._design.of_kind(frozenset({NodeKind.CLASS.value}))
        return NameIndex(self._design, rows, self._around_unit)

    @cached_property
    def nets(self) -> NameIndex:
        """Returns the names of ports and signals."""
        return self._parts(NETS)

    @cached_property
    def settings(self) -> NameIndex:
        """Returns the names of parameters and macros."""
        return self._parts(SETTINGS)

    @cached_property
    def types(self) -> NameIndex:
        """Returns the names of types and macros."""
        return self._parts(TYPES)

    def _parts(self, kinds: frozenset[str]) -> NameIndex:
        return NameIndex(self._design, self._design.of_kind(kinds), self._around_part)

    def _around_unit(self, row: int) -> frozenset[str]:
        """Returns words of a unit's path and of the units above it."""
        words = [part for folder in self._design.paths[row].split("/")
                 for part in split_identifier(folder)]  # fmt: skip
        for fact in self._design.parents(row)[:ABOVE]:
            words += split_identifier(self._design.names[fact.row])
        return frozenset(stem(word) for word in words)

    def _around_part(self, row: int) -> frozenset[str]:
        """Returns words of the unit that declares a node, of its path, and of its comment."""
        design = self._design
        place = design.names[design.owner(row)], design.paths[row]
        around = self._placed.get(place)
        if around is None:
            around = frozenset(map(stem, split_identifier(" ".join(place))))
            self._placed[place] = around  # that of most names of a unit, which have no comment
        comment: str = design.graph.nodes.column("text")[row][:LETTERS]
        return around.union(map(stem, split_identifier(comment))) if comment else around
