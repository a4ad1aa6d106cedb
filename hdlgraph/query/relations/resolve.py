"""Resolves the phrases of a question to units, nets, settings and types, each with a weight."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hdlgraph.knowledge.testing import is_formal, is_testbench
from hdlgraph.model import NodeKind
from hdlgraph.query.best import few_best, highest
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.question.analyse import analyse
from hdlgraph.query.relations.design import NETS, SETTINGS, TYPES, Design, design_of
from hdlgraph.query.relations.name_index import NameTables
from hdlgraph.query.relations.phrase import Phrase, read_phrase
from hdlgraph.store.lexical import TEXT

T = TypeVar("T")

LEAST_TOLD, SAID = 0.1, 0.4
"""Of what fits what an answer is called: how much a file must say of it, and its share."""
KEPT = 64
"""Phrases of which what was found is kept: one question asks several times for each."""
MOST = 8
"""Candidates that are kept of a phrase."""
NAMED, TOLD = 0.72, 0.28
"""Shares of a candidate's name and of what its file says in its weight."""
BY_TEXT = 12
"""Files that are candidates for what they say alone."""
ASIDE = {"testbench": 0.8, "formal": 0.75, "vendored": 0.97, "generated": 0.97}
"""Of a file's role: what the words of a question mean less often than the design itself."""


_SHOUTED = re.compile(r"(?<![\w$`])[A-Z][A-Z0-9]{2,}(?![\w$])")
_OF_SETTING = re.compile(
    r"\b(?:define[sd]?|defining|macros?|ifn?defs?|parameters?|localparams?|plusargs?)\b", re.I
)
"""What a question says of a word in capitals that names a macro or parameter, not a short form."""


class Candidate(NamedTuple):
    """A node that a phrase may mean, its weight, 0 to 1, and whether it was written by name."""

    row: int
    weight: float
    exact: bool = False


class Resolver:
    """Resolves phrases over one index.

    Args:
        index: what is searched.
        design: its design.
    """

    def __init__(self, index: IndexView, design: Design) -> None:
        self.design = design
        self.tables = NameTables(design)
        self.lexicon = index.lexicon
        self._tellings: dict[str, np.ndarray] = {}
        self._phrases: dict[str, Phrase] = {}
        self._kept: dict[Hashable, Any] = {}

    def role(self, number: int) -> str:
        """Returns the role of a file."""
        return self.lexicon.roles[number]

    def path(self, number: int) -> str:
        """Returns the path of a file."""
        return self.lexicon.paths[number]

    @property
    def binding(self) -> frozenset[int]:
        """Returns the files in which a bind stands."""
        return self.design.binding

    def tests(self, number: int) -> bool:
        """Returns whether a file is of a testbench or a proof, one of vendored code too."""
        if self.role(number) != "vendored":
            return self.role(number) in ("testbench", "formal")
        path = self.path(number).lower()
        return is_testbench(path) or is_formal(path)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns what `make` returns, which is called once for a key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def phrase(self, text: str) -> Phrase:
        """Returns what a phrase says."""
        if text not in self._phrases:
            if len(self._phrases) >= KEPT:
                self._phrases.clear()
            read = read_phrase(text, self.lexicon)
            shouted = tuple(self._shouted(text)) if _OF_SETTING.search(text) else ()
            self._phrases[text] = replace(read, identifiers=(*read.identifiers, *shouted))
        return self._phrases[text]

    def _shouted(self, text: str) -> Iterator[str]:
        """Yields the words in capitals that are, as they are written, macros or parameters."""
        for word in dict.fromkeys(_SHOUTED.findall(text)):
            rows = self.design.called.get(word.lower(), ())
            if any(self.design.last(row) == word for row in rows
                   if self.design.kinds[row] in SETTINGS):  # fmt: skip
                yield word

    def units(
        self, text: str, keep: Callable[[int], object] | None = None, packages: bool = False
    ) -> list[Candidate]:
        """Returns the design units that a phrase may mean, the likeliest first.

        Args:
            text: the phrase.
            keep: only units of which this holds, unless they are written by name.
            packages: whether packages count.
        """
        exact = self.exact_units(text, packages)
        if exact:
            return exact
        scores = self.tables.units.scores(self.phrase(text))
        told = self.told(text)
        package = NodeKind.PACKAGE.value
        found: dict[int, float] = {}
        for row in (*scores, *self._by_text(told)):
            if self.design.kinds[row] == package and not packages:
                continue
            number = self.design.file(row)
            if number >= 0:
                text_part = float(told[number])
                weight = NAMED * scores.get(row, 0.0) + TOLD * text_part
                found[row] = weight * ASIDE.get(self.lexicon.roles[number], 1.0)
        return self._best(found, keep)

    def exact_units(self, text: str, packages: bool = False) -> list[Candidate]:
        """Returns the design units that a phrase writes by name; arguments as of `units`."""
        wanted = self._is_plain_unit if not packages else self._is_any_unit
        return self._exact(self.phrase(text), wanted)

    def nets(self, text: str, units: Iterable[int] = ()) -> list[Candidate]:
        """Returns the ports and signals that a phrase may mean.

        Args:
            text: the phrase.
            units: only nets of these units; empty looks in all.
        """
        phrase = self.phrase(text)
        owners = tuple(units)
        if not owners:
            exact = self._exact(phrase, lambda row: self.design.kinds[row] in NETS)
            if exact:
                return exact
            return self._best(self._by_role(self.tables.nets.scores(phrase)))
        among = [row for unit in owners for row in self.design.declared(unit, NETS)]
        exact = [one for one in self._exact(phrase, lambda row: self.design.kinds[row] in NETS)
                 if one.row in among]  # fmt: skip
        if exact:
            return exact
        return self._best(self.tables.nets.scores(phrase, among))

    def net_scores(self, phrase: Phrase, rows: Iterable[int]) -> dict[int, float]:
        """Returns how well the names of some nets fit a phrase."""
        return self.tables.nets.scores(phrase, rows)

    def named(self, text: str) -> list[Candidate]:
        """Returns what a phrase names as it is written, of whatever kind."""
        return self._exact(self.phrase(text), lambda row: bool(self.design.paths[row]))

    def settings(self, text: str) -> list[Candidate]:
        """Returns the parameters and macros that a phrase may mean."""
        phrase = self.phrase(text)
        exact = self._exact(phrase, lambda row: self.design.kinds[row] in SETTINGS)
        return exact or self._best(self._by_role(self.tables.settings.scores(phrase)))

    def declared_scores(self, text: str, types: bool) -> dict[int, float]:
        """Returns how well types, or settings, fit any words of a question, 0 to 1."""
        names, phrase = self.tables.types if types else self.tables.settings, self.phrase(text)
        return self._by_role(names.scores(replace(phrase, n_head=len(phrase.words))))

    def types(self, text: str) -> list[Candidate]:
        """Returns the types and macros that a phrase may mean."""
        phrase = self.phrase(text)
        exact = self._exact(phrase, lambda row: self.design.kinds[row] in TYPES)
        return exact or self._best(self._by_role(self.tables.types.scores(phrase)))

    def classes(self, text: str) -> list[Candidate]:
        """Returns the classes that a phrase may mean."""
        phrase = self.phrase(text)
        of_class = NodeKind.CLASS.value
        exact = self._exact(phrase, lambda row: self.design.kinds[row] == of_class)
        return exact or self._best(self.tables.classes.scores(phrase))

    def fit(self, text: str, rows: Iterable[int]) -> dict[int, float]:
        """Returns how well units fit what an answer is called: "arbiter" in "which arbiter".

        Args:
            text: what the answer is called.
            rows: the units.
        """
        rows = list(dict.fromkeys(rows))
        named = self.tables.units.scores(self.phrase(text), rows)
        told = self.told(text)
        said = {row: float(told[n]) for row in rows if (n := self.design.file(row)) >= 0}
        most = max([LEAST_TOLD, *said.values()])
        return {row: (1 - SAID) * named.get(row, 0.0) + SAID * said.get(row, 0.0) / most
                for row in rows}  # fmt: skip

    def _exact(self, phrase: Phrase, wanted: Callable[[int], bool]) -> list[Candidate]:
        """Returns the nodes that a phrase names as they are written, or nearly so."""
        for word in phrase.identifiers:
            scope, _, name = word.replace("::", ".").rpartition(".")
            rows = [row for row in self.design.called.get(name.lower(), ()) if wanted(row)]
            if scope:
                rows = [row for row in rows if scope.lower() in self.design.names[row].lower()
                        or scope.lower() in self.design.paths[row].lower()]  # fmt: skip
            if not rows and wanted in (self._is_plain_unit, self._is_any_unit):
                rows = self._through(name) or self._misspelt(name, wanted)
            same = [row for row in rows if self.design.last(row) == name]
            rows = self._within(same or rows, phrase, word)
            if rows:
                defined = [row for row in rows if self.design.paths[row]] or rows
                return [Candidate(row, 1.0, True) for row in defined]
        return []

    def _through(self, name: str) -> list[int]:
        """Returns the units of the instances or the file of a name."""
        found: dict[int, None] = {}
        for row in self.design.called.get(name.lower(), ()):
            kind = self.design.kinds[row]
            if kind == NodeKind.INSTANCE.value:
                targets = self.design.out(row, "INSTANTIATES")
                found.update({fact.row: None for fact in targets if self.design.is_unit[fact.row]})
            elif kind == NodeKind.FILE.value:
                found.update({fact.row: None for fact in self.design.out(row, "DEFINES")
                              if self.design.is_unit[fact.row]})  # fmt: skip
        return list(found)

    def of_file(self, name: str) -> list[int]:
        """Returns the design units of the files of a name, written with or without its ending."""
        numbers = self.design.files_called.get(name.rpartition("/")[2].lower(), ())
        return [row for number in numbers for row in self.design.units_of.get(number, ())]

    def misspelt(self, name: str) -> list[int]:
        """Returns the design units whose names are nearly a name that nothing has."""
        return self._misspelt(name, self._is_any_unit)

    def _misspelt(self, name: str, wanted: Callable[[int], bool]) -> list[int]:
        known = [one for one in self.design.unit_words if abs(len(one) - len(name)) < 3]
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.85)
        return [row for one in near for row in self.design.called[one] if wanted(row)]

    def _within(self, rows: list[int], phrase: Phrase, word: str) -> list[int]:
        """Returns those rows that lie in what else the phrase names, all where none does."""
        if len(rows) < 2:
            return rows
        others = [one.lower() for one in phrase.identifiers if one != word]
        design = self.design
        inside = [row for row in rows if any(
            one in (design.names[design.owner(row)].lower(), design.paths[row].lower()) or
            f"/{one}." in f"/{design.paths[row].lower()}" for one in others)]  # fmt: skip
        if inside:
            return inside
        if phrase.rest:
            context = self.tables.units.scores(self.phrase(phrase.rest))
            best = max((context.get(design.owner(row), 0.0) for row in rows), default=0.0)
            if best > 0.4:
                return [row for row in rows if context.get(design.owner(row), 0.0) > 0.8 * best]
        return rows

    def _is_plain_unit(self, row: int) -> bool:
        kind = self.design.kinds[row]
        return is_unit(kind) and kind != NodeKind.PACKAGE.value and bool(self.design.paths[row])

    def _is_any_unit(self, row: int) -> bool:
        return bool(self.design.is_unit[row] and self.design.paths[row])

    def unit_score(self, text: str, row: int) -> float:
        """Returns how well the name of a design unit fits a phrase, 0 to 1."""
        return self.tables.units.score(self.phrase(text), row)

    def rareness(self, word: str) -> float:
        """Returns how rare a stemmed word is in the names of units and in the files, 0 to 1."""
        lexicon = self.lexicon
        count = lexicon.document_frequency(word)
        return float(lexicon.idf(count) / lexicon.idf(0))

    def told(self, text: str) -> np.ndarray:
        """Returns how much each file says of a phrase, 0 to 1, float32 (n_files,)."""
        if text not in self._tellings:
            if len(self._tellings) >= KEPT:
                self._tellings.clear()
            self._tellings[text] = self._tell(text)
        return self._tellings[text]

    def _tell(self, text: str) -> np.ndarray:
        lexicon = self.lexicon
        groups = list(analyse(text, lexicon).groups)
        total = np.zeros(lexicon.n_files, np.float32)
        if not groups:
            return total
        shares = {"explanation": 0.5, "declared": 0.15, TEXT: 0.35}
        scores = lexicon.bm25_of_fields(groups, [(field, 1.2, 0.6) for field in shares])
        for share, score in zip(shares.values(), scores, strict=True):
            top = float(score.max())
            if top > 0:
                total += share * score / top
        return total

    def _by_text(self, told: np.ndarray) -> list[int]:
        best = few_best(told, BY_TEXT)
        return [row for number in best.tolist() for row in self.design.units_of.get(number, ())[:2]]

    def _by_role(self, scores: dict[int, float]) -> dict[int, float]:
        """Returns scores of nodes, less those in files that are not of the design itself."""
        roles, file = self.lexicon.roles, self.design.file
        return {row: score * ASIDE.get(roles[number], 1.0) for row, score in scores.items()
                if (number := file(row)) >= 0}  # fmt: skip

    def _best(
        self, found: dict[int, float], keep: Callable[[int], object] | None = None
    ) -> list[Candidate]:
        paths, names = self.design.paths, self.design.names
        some = found if keep is not None else highest(found, MOST)
        order = sorted(some, key=lambda row: (-round(found[row], 6), paths[row], names[row]))
        kept = (row for row in order if keep is None or keep(row))
        return [Candidate(row, found[row]) for row in islice(kept, MOST)]


def resolver_of(index: IndexView) -> Resolver | None:
    """Returns the resolver of an index, None where it has no graph."""
    design = index.part(design_of)
    return Resolver(index, design) if design else None
