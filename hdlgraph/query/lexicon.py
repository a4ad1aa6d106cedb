"""The words of all files: scores files for groups of weighted terms, and finds their lines.

Formulas: BM25 in Lucene's form, idf = ln(1 + (N - df + .5) / (df + .5)), and
sum idf * tf (k1 + 1) / (tf + k1 (1 - b + b len / avglen)) (Robertson & Zaragoza 2009, eq. 3.15).
The expansions of a question's term share one saturation with it: their weighted frequencies add.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hdlgraph.knowledge.dictionary import read_defined
from hdlgraph.knowledge.projects import Projects, read_chosen
from hdlgraph.query.directories import Directories
from hdlgraph.query.near_copies import NearCopies
from hdlgraph.query.question.team import TeamWords
from hdlgraph.store.checksums import at_once
from hdlgraph.store.lexical import TEXT, Place, StoredLexicon
from hdlgraph.store.words.chosen import Stands
from hdlgraph.store.words.kept_arrays import KeptArrays
from hdlgraph.store.words.some_files import SomeFiles

TOGETHER = 4_000_000
"""Numbers, by groups and files, that are worked on at one time."""
MANY = 16_384
"""Files from which on fields are worked on in threads."""
KEPT_BYTES = 64_000_000
"""Frequencies that are kept."""
FEW = 4
"""Where so many times the files that have some of the words are fewer than all, those alone are
worked on."""


@dataclass(frozen=True, slots=True)
class TermGroup:
    """A question's term with its expansions as ((term, weight), ...), the term itself first."""

    members: tuple[tuple[str, float], ...]

    @property
    def term(self) -> str:
        """Returns the question's own term."""
        return self.members[0][0]


class Lexicon:
    """The words of the files of one generation.

    `paths`, `roles`, `n_lines`, `written` (a model or a person explained it) and `introduced`
    (comments say what it is) are by file number; `vocabulary` has the terms, `file_start` the
    first position of each file, and the end of the last.
    """

    team: TeamWords | None = None
    """The short forms of a team's own file, as of the question that is asked."""

    def __init__(self, stored: StoredLexicon) -> None:
        self._stored = stored
        self.paths = [file.path for file in stored.files]
        self.roles = [file.role for file in stored.files]
        self.n_lines = np.asarray([file.lines for file in stored.files], np.float32)
        self.written = np.asarray([file.written for file in stored.files], bool)
        self.introduced = np.asarray([file.introduced for file in stored.files], bool)
        self._words = stored.words
        self.vocabulary: Container[str] = stored.words
        self.file_start = stored.words.file_start
        self._lengths: dict[str, np.ndarray] = {}
        self._norms: dict[tuple[str, float, float], np.ndarray] = {}
        self._frequencies = KeptArrays(KEPT_BYTES)

    @classmethod
    def load(cls, generation: Path) -> Lexicon:
        """Returns the words of a generation's folder."""
        return cls(StoredLexicon(generation))

    @property
    def n_files(self) -> int:
        """Returns the number of files."""
        return len(self.paths)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {path: number for number, path in enumerate(self.paths)}

    def number(self, path: str) -> int:
        """Returns the number of an indexed file."""
        return self._numbers[path]

    @cached_property
    def projects(self) -> Projects:
        """Returns the project tables that were in force when the index was written."""
        return read_chosen(self._stored.generation)

    @cached_property
    def mined(self) -> dict[str, list[tuple[str, float]]]:
        """Returns the mined abbreviations: stemmed word -> [(fragment, probability), ...]."""
        return self._stored.abbreviations()

    @cached_property
    def defined(self) -> tuple[tuple[str, str], ...]:
        """Returns (short form, long form) of what comments and documents define, sorted."""
        return read_defined(self._stored.generation)

    @cached_property
    def near_copies(self) -> Mapping[str, tuple[str, ...]]:
        """Returns path -> all files that are nearly the same, sorted; only of those with a copy.

        A path is in one group at most.
        """
        return NearCopies(self._stored.near_copies(), self.paths, lambda path: self._numbers[path])

    @cached_property
    def summaries(self) -> list[str]:
        """Returns what each file does in one sentence, by file number."""
        return self._stored.summaries()

    def places(self, name: str) -> list[Place]:
        """Returns the places (file, line, kind, name) that declare a lower-case name."""
        return self._words.places(name)

    def having(self, text: str) -> list[str]:
        """Returns the terms in which a text stands, sorted."""
        return self._words.having(text)

    def lettered(self, term: str, changes: int) -> list[str]:
        """Returns the terms of nearly the same letters, in any order, sorted."""
        return self._words.lettered(term, changes)

    @cached_property
    def directories(self) -> Directories:
        """Returns the files below the directories whose names distinguish files, by these."""
        return Directories(self.paths)

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """Returns first-level directory name -> files below it."""
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self.paths):
            first, slash, _ = path.partition("/")
            if slash:
                found.setdefault(first.lower(), []).append(number)
        return {name: np.asarray(members) for name, members in sorted(found.items())}

    def lengths(self, field: str) -> np.ndarray:
        """Returns the terms of each file in a field (TEXT is the whole text), float32."""
        if field not in self._lengths:
            self._lengths[field] = self._words.lengths(field)
        return self._lengths[field]

    def postings(self, term: str, field: str = TEXT) -> tuple[np.ndarray, np.ndarray]:
        """Returns (files, how often in each) of a term in a field; empty when unknown."""
        return self._words.postings(term, field)

    def positions(self, term: str) -> np.ndarray:
        """Returns the sorted global positions (uint32) of a term; empty when unknown."""
        return self._words.positions(term)

    def document_frequency(self, term: str, field: str = TEXT) -> int:
        """Returns in how many files' `field` a term occurs."""
        return self._words.document_frequency(term, field)

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        """Returns in how many files' text each of some terms occurs; they are looked up once."""
        return self._words.document_frequencies(terms).tolist()

    def idf(self, df: int | float, total: int | None = None) -> float:
        """Returns the inverse document frequency (Lucene's form) for `df` of `total` files."""
        total = total or self.n_files
        return float(np.log1p((total - df + 0.5) / (df + 0.5)))

    def group_frequency(self, group: TermGroup, field: str) -> np.ndarray:
        """Returns the weighted frequency of a group in each file, float32 (n_files,)."""
        return self.group_frequencies([group], field)[0]

    def group_frequencies(self, groups: Sequence[TermGroup], field: str) -> np.ndarray:
        """Returns the weighted frequency of groups in each file, float32 (groups, n_files).

        It is kept for a while, as one question asks for it several times: nobody may change it.
        """
        key = (field, *groups)
        found = self._frequencies.get(key)
        if found is None:
            found = (self._group_frequencies(groups, field),)
            self._frequencies.put(key, found)
        return found[0]

    def _group_frequencies(self, groups: Sequence[TermGroup], field: str) -> np.ndarray:
        out = np.zeros((len(groups), self.n_files), np.float32)
        members = [(row, *one) for row, group in enumerate(groups) for one in group.members]
        terms = [term for _, term, _ in members]
        documents, frequency, member = self._words.postings_of_all(terms, field)
        if not len(documents):
            return out
        weight = np.asarray([weight for *_, weight in members], np.float32)[member]
        begins = np.asarray([row * self.n_files for row, *_ in members], np.int64)[member]
        # Adds one after the other, in the order of the members.
        np.add.at(out.reshape(-1), begins + documents, weight * frequency.astype(np.float32))
        return out

    def group_idf(self, group: TermGroup, field: str, mask: np.ndarray | None = None) -> float:
        """Returns the idf of a group: its own term's, or its commonest expansion's if unknown."""
        others = (self._frequency_in(t, field, mask) for t, _ in group.members[1:])
        df = self._frequency_in(group.term, field, mask) or max(others, default=0)
        if not df:
            return 0.0
        return self.idf(df, self.n_files if mask is None else int(mask.sum()))

    def _frequency_in(self, term: str, field: str, mask: np.ndarray | None) -> int:
        """Returns in how many files of `mask` a field has a term."""
        if mask is None:
            return self.document_frequency(term, field)
        return int(mask[self.postings(term, field)[0]].sum())

    def bm25(
        self,
        groups: Sequence[TermGroup],
        field: str,
        k1: float,
        b: float,
        mask: np.ndarray | None = None,
    ) -> np.ndarray:
        """Returns the BM25 score of every file for term groups, float32 (n_files,).

        `mask`, bool (n_files,), restricts the collection whose statistics (document
        frequencies, mean length) count.
        """
        score = np.zeros(self.n_files, np.float32)
        for files, values in self.bm25_of_each(groups, field, k1, b, mask):
            score[files] += values
        return score

    def bm25_of_fields(
        self,
        groups: Sequence[TermGroup],
        fields: Sequence[tuple[str, float, float]],
        mask: np.ndarray | None = None,
    ) -> list[np.ndarray]:
        """Returns `bm25` of several fields, each with its k1 and b.

        Numbers of MANY files let other threads run; those of few take less time than a thread.
        """

        def one(field: tuple[str, float, float]) -> np.ndarray:
            return self.bm25(groups, *field, mask)

        if self.n_files < MANY:
            return [*map(one, fields)]
        self._words.wanted([term for group in groups for term, _ in group.members])
        return at_once(one, fields)

    def bm25_of_each(
        self,
        groups: Sequence[TermGroup],
        field: str,
        k1: float,
        b: float,
        mask: np.ndarray | None = None,
    ) -> Iterator[tuple[np.ndarray | slice, np.ndarray]]:
        """Yields the files that have each group, and what it adds to their `bm25`, float32."""
        norm = self._norm(field, k1, b, mask)
        step = max(1, TOGETHER // max(self.n_files, 1))
        for first in range(0, len(groups), step):
            some = groups[first : first + step]
            idf = np.asarray([self.group_idf(one, field, mask) for one in some], np.float32)
            for weight, tf in zip(idf, self.group_frequencies(some, field), strict=True):
                # Of others than bool `nonzero` is ten times slower.
                files = np.flatnonzero(tf > 0)
                if len(files) * FEW > len(tf):
                    yield slice(None), weight * tf * (k1 + 1) / (tf + norm)
                else:
                    own = tf[files]
                    yield files, weight * own * (k1 + 1) / (own + norm[files])

    def _norm(self, field: str, k1: float, b: float, mask: np.ndarray | None) -> np.ndarray:
        """Returns what BM25 adds to the frequencies of each file, for its length."""
        kept = self._norms.get((field, k1, b)) if mask is None else None
        if kept is not None:
            return kept
        length = self.lengths(field)
        counted = length if mask is None else length[mask]
        mean = max(float(counted.mean()), 1.0) if len(counted) else 1.0
        norm = k1 * (1 - b + b * length / mean)
        if mask is None:
            self._norms[field, k1, b] = norm
        return norm

    def know(self, terms: Iterable[str]) -> None:
        """Looks terms up together, which is less work than one by one."""
        self._words.know(terms)

    def count(self, term: str) -> int:
        """Returns at how many positions a term stands."""
        return self._words.count(term)

    def among(self, term: str, wanted: np.ndarray) -> np.ndarray:
        """Returns those of some sorted positions (uint32) at which a term stands."""
        return self._words.among(term, wanted)

    @property
    def half_starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns how many halves each file has, and where each half begins (uint32)."""
        return self._words.half_starts

    def halves(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns (halves, sorted, of all files, and how often a term stands in each)."""
        return self._words.halves(term)

    def stands(self, terms: Sequence[str], halves: np.ndarray) -> Stands:
        """Returns where terms stand in some halves, which are given by their numbers, sorted."""
        return self._words.stands(terms, halves)

    def some(self, numbers: Sequence[int] | np.ndarray) -> SomeFiles:
        """Returns the words of some files."""
        return self._words.some(numbers)

    def line_at(self, number: int, position: int) -> int:
        """Returns the 1-based line of file `number` at a global position (0: its path)."""
        lines = self._words.lines_of(number)
        return int(lines.searchsorted(position, side="right")) - 1

    def lines_of(self, number: int, term: str) -> np.ndarray:
        """Returns the 1-based lines of file `number` on which a term stands (0: its path)."""
        return self._words.lines_with(number, term)

    def line_starts(self, number: int) -> np.ndarray:
        """Returns the position at which each line of a file begins; the first is its path."""
        return self._words.lines_of(number)

    @property
    def all_lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns (first row of each file, and after the last; the position of each line)."""
        return self._words.line_starts
