"""Questions with the numbers of their right files in an index, and what ranks them by the sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hdlgraph.eval.sets.questions import Question
from hdlgraph.project import Project
from hdlgraph.query.search import Searcher

Judged = tuple[Searcher, Question, list[int], list[int]]


def judged(index: Path, questions: Sequence[Question]) -> Iterator[Judged]:
    """Yields (searcher, question, right files, files that are as good), by their numbers.

    Questions without a right file in the index are left out. The searcher ranks by the sum of the
    parts alone: what is fitted on it must not see what was fitted before.
    """
    searcher = Searcher(Project.open(index).searcher().index, listwise=False)
    known = {path: number for number, path in enumerate(searcher.lexicon.paths)}
    for question in questions:
        right = [known[path] for path in question.relevant if path in known]
        if right:
            equal = [known[path] for path in question.equivalent if path in known]
            yield searcher, question, right, equal
