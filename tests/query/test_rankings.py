"""Rankings of the little system against golden ones: a change of ranking shows here.

They are those by the sum of the parts: the network that puts the first files in order looks at
places, which a fourth digit may change (`test_listwise.py`).

HDLGRAPH_WRITE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.search import Searcher

FOLDER = Path(__file__).parents[1] / "golden"
DIGITS = 3
TOLERANCES = {"words": 0.002, "vectors": 0.25}
"""Difference of scores that another processor may make: the same vector differs in its fourth digit
between processors, and over fourteen files its distance is scaled to the whole range."""
HEAD = """\
# Files of tests/designs/soc for questions about it, by score, as they are ranked {}.
# A line is a score, a path and the kinds of evidence; scores may differ by {}.
# Written anew by: HDLGRAPH_WRITE_GOLDEN=1 python -m pytest tests/query/test_rankings.py
"""
HOW = {"words": "without vectors", "vectors": "with vectors"}
_LINE = re.compile(r"(-?\d+\.\d+) (\S+) (.*)")

Ranking = dict[str, tuple[float, str]]
"""(Score, kinds of evidence) of each path, best first."""


def golden(kind: str) -> dict[str, Ranking]:
    """Returns the rankings of a golden file, by question."""
    found: dict[str, Ranking] = {}
    for line in _file(kind).read_text(encoding="utf-8").splitlines():
        if line.startswith("? "):
            ranking = found.setdefault(line[2:], {})
        elif match := _LINE.fullmatch(line):
            ranking[match[2]] = (float(match[1]), match[3])
    return found


def _file(kind: str) -> Path:
    return FOLDER / f"rankings-soc-{kind}.txt"


def rank(project: Project, question: str) -> Ranking:
    """Returns how the whole system is ranked; scores that are equal when rounded, by path."""
    searcher = Searcher(project.searcher().index, listwise=False)
    hits = [
        (
            round(hit.score, DIGITS) + 0.0,  # no negative zero
            hit.path,
            " ".join(sorted({one.kind for one in hit.evidence})) or "-",
        )
        for hit in searcher.search(question, k=100).hits
    ]
    hits.sort(key=lambda hit: (-hit[0], hit[1]))
    return {path: (score, kinds) for score, path, kinds in hits}


@pytest.mark.parametrize("kind", TOLERANCES)
def test_the_golden_file_covers_the_system(kind: str) -> None:
    rankings = golden(kind)
    assert len(rankings) >= 25
    assert {len(ranking) for ranking in rankings.values()} == {14}
    first = {next(iter(ranking)) for ranking in rankings.values()}
    assert len(first) >= 12  # nearly every file is the best answer to some question


@pytest.mark.skipif("HDLGRAPH_WRITE_GOLDEN" in os.environ, reason="they are being written")
@pytest.mark.parametrize("question", golden("words"))
def test_rankings_by_words_are_as_before(soc_words: Path, question: str) -> None:
    found, before = rank(Project(soc_words), question), golden("words")[question]
    assert _moved("words", before, found) == {}, "scores before and now"
    assert {path: found[path][1] for path in before} == {path: before[path][1] for path in before}


@pytest.mark.skipif("HDLGRAPH_WRITE_GOLDEN" in os.environ, reason="they are being written")
@pytest.mark.parametrize("question", golden("vectors"))
def test_rankings_with_vectors_are_as_before(soc_project: Project, question: str) -> None:
    found, before = rank(soc_project, question), golden("vectors")[question]
    assert _moved("vectors", before, found) == {}, "scores before and now"


def _moved(kind: str, before: Ranking, found: Ranking) -> dict[str, tuple[float, float]]:
    """Returns the scores before and now of the files whose score differs by too much."""
    assert found.keys() == before.keys()
    return {
        path: (before[path][0], found[path][0])
        for path in before
        if abs(before[path][0] - found[path][0]) > TOLERANCES[kind]
    }


@pytest.mark.skipif("HDLGRAPH_WRITE_GOLDEN" not in os.environ, reason="only on demand")
def test_write_them_anew(soc_project: Project, soc_words: Path) -> None:
    for kind, project in (("words", Project(soc_words)), ("vectors", soc_project)):
        lines = [HEAD.format(HOW[kind], TOLERANCES[kind])]
        for question in golden("vectors"):
            lines.append(f"? {question}")
            ranking = rank(project, question)
            lines += [f"{score:.3f} {path} {kinds}" for path, (score, kinds) in ranking.items()]
            lines.append("")
        _file(kind).write_text("\n".join(lines), encoding="utf-8")
