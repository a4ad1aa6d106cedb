"""Why another file came first: one cause for each question, found in the index alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hdlgraph.eval.scores.measures import first_rank
from hdlgraph.model.kinds import relation
from hdlgraph.query.lexicon import TermGroup
from hdlgraph.query.question.analyse import analyse, identifiers
from hdlgraph.store.lexical import TEXT
from hdlgraph.words import split_identifier

if TYPE_CHECKING:
    from hdlgraph.eval.scores.records import Ranking
    from hdlgraph.eval.sets.questions import Question
    from hdlgraph.project import Project

DEEP = 20
"""Ranks within which a right file counts as found."""
ALIKE = 0.5
"""Share of the parts of both names that siblings have in common."""
TESTS = frozenset(("testbench", "formal"))
"""Roles of files that verify others."""
UNDECLARED = frozenset(("instance", "concept", "explanation"))
"""Kinds of nodes whose name the file does not declare."""

CAUSES = {
    "nothing": "nothing was ranked",
    "copy": "a copy or an equivalent file first",
    "deep": f"no right file among the first {DEEP}",
    "name": "names in the question, none of which the right file declares",
    "testbench": "a testbench first, hardware is right",
    "hardware": "hardware first, a testbench is right",
    "parent": "what instantiates or uses the right file first",
    "child": "what the right file instantiates or uses first",
    "sibling": "a file of nearly the same name first",
    "folder": "another file of the same folder first",
    "words": "another file first, with as many of the question's words",
    "other": "another file first, with fewer of the question's words",
}
"""The causes, the first that holds is given -> what each says."""


class Causes:
    """Finds causes over one index.

    Args:
        project: the indexed repository.
        roles: the role of each file by path.
    """

    def __init__(self, project: Project, roles: Mapping[str, str]) -> None:
        self._project = project
        self._searcher = project.searcher()
        self._roles = roles

    def of_all(self, questions: Sequence[Question], rankings: Sequence[Ranking]) -> tuple[str, ...]:
        """Returns the cause of each question, "" where a right file stands first."""
        return tuple(self.of(q, r) for q, r in zip(questions, rankings, strict=True))

    def of(self, question: Question, ranking: Ranking) -> str:
        """Returns the cause of one question, a key of CAUSES; "" where a right file is first."""
        if not ranking.paths:
            return "nothing"
        first, rank = ranking.paths[0], first_rank(ranking.paths, question.relevant)
        if rank == 1:
            return ""
        right = ranking.paths[rank - 1] if rank else question.relevant[0]
        copies = self._searcher.lexicon.near_copies
        if first in question.equivalent or first in copies.get(right, ()):
            return "copy"
        if not 0 < rank <= DEEP:
            return "deep"
        return (
            self._by_name(question, right)
            or self._by_role(first, right)
            or self._by_graph(first, right)
            or _by_place(first, right)
            or self._by_words(question, first, right)
        )

    @cached_property
    def _declared(self) -> dict[str, set[str]]:
        """Returns the names in lower case that each file declares: units, ports, signals, ..."""
        nodes = self._project.graph().nodes
        found: dict[str, set[str]] = {}
        for kind, path, name in zip(*map(nodes.column, ("kind", "path", "name")), strict=True):
            if path and kind not in UNDECLARED:
                found.setdefault(path, set()).add(name.rpartition(".")[2].lower())
        return found

    def _by_name(self, question: Question, right: str) -> str:
        names = {name.rpartition(".")[2].lower() for name in identifiers(question.text)}
        return "name" if names and names.isdisjoint(self._declared.get(right, ())) else ""

    def _by_role(self, first: str, right: str) -> str:
        tests = [self._roles.get(path, "") in TESTS for path in (first, right)]
        return {(True, False): "testbench", (False, True): "hardware"}.get((tests[0], tests[1]), "")

    @cached_property
    def _below(self) -> frozenset[tuple[int, int]]:
        """Returns (what uses, what it uses) of each edge between files, by file number."""
        graph = self._searcher.graph
        if graph is None:
            return frozenset()
        return frozenset(
            (edge.source, edge.target) for edge in graph.edges if relation(edge.kind).is_use
        )

    def _by_graph(self, first: str, right: str) -> str:
        one, other = map(self._searcher.lexicon.number, (first, right))
        if (one, other) in self._below:
            return "parent"
        return "child" if (other, one) in self._below else ""

    def _by_words(self, question: Question, first: str, right: str) -> str:
        lexicon = self._searcher.lexicon
        both = [lexicon.number(first), lexicon.number(right)]
        held = np.zeros(2)
        for group in analyse(question.text, lexicon).groups:
            alone = TermGroup(((group.term, 1.0),))
            present = lexicon.group_frequency(alone, TEXT)[both] > 0
            held += present * lexicon.group_idf(alone, TEXT)
        return "words" if held[0] >= held[1] else "other"


def _by_place(first: str, right: str) -> str:
    """Returns "sibling" or "folder" for files that lie in one folder, "sibling" also elsewhere."""
    (folder, _, name), (place, _, wanted) = first.rpartition("/"), right.rpartition("/")
    parts, others = (set(split_identifier(stem.partition(".")[0])) for stem in (name, wanted))
    common = len(parts & others) / max(len(parts | others), 1)
    if common >= ALIKE:
        return "sibling"
    return "folder" if folder == place else ""
