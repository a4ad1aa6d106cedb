"""Rankings of the little system against golden ones: a change of ranking shows here.

HDLGRAPH_WRITE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hdlgraph.project import Project

GOLDEN = Path(__file__).parents[1] / "golden" / "rankings-soc.txt"
DIGITS = 3
TOLERANCE = 0.002
"""Difference of scores that the arithmetic of another processor may make."""
HEAD = f"""\
# Files of tests/designs/soc for questions about it, by score, as the default pipeline ranks them.
# A line is a score, a path and the kinds of evidence; scores may differ by {TOLERANCE}.
# Written anew by: HDLGRAPH_WRITE_GOLDEN=1 python -m pytest tests/query/test_rankings.py
"""
_LINE = re.compile(r"(-?\d+\.\d+) (\S+) (.*)")

Ranking = dict[str, tuple[float, str]]
"""(Score, kinds of evidence) of each path, best first."""


def golden() -> dict[str, Ranking]:
    """Returns the rankings of the golden file, by question."""
    found: dict[str, Ranking] = {}
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        if line.startswith("? "):
            ranking = found.setdefault(line[2:], {})
        elif match := _LINE.fullmatch(line):
            ranking[match[2]] = (float(match[1]), match[3])
    return found


def rank(project: Project, question: str) -> Ranking:
    """Returns how the whole system is ranked; scores that are equal when rounded, by path."""
    hits = [
        (
            round(hit.score, DIGITS) + 0.0,  # no negative zero
            hit.path,
            " ".join(sorted({one.kind for one in hit.evidence})) or "-",
        )
        for hit in project.search(question, k=100).hits
    ]
    hits.sort(key=lambda hit: (-hit[0], hit[1]))
    return {path: (score, kinds) for score, path, kinds in hits}


def test_the_golden_file_covers_the_system() -> None:
    rankings = golden()
    assert len(rankings) >= 25
    assert {len(ranking) for ranking in rankings.values()} == {14}
    first = {next(iter(ranking)) for ranking in rankings.values()}
    assert len(first) >= 12  # nearly every file is the best answer to some question


@pytest.mark.skipif("HDLGRAPH_WRITE_GOLDEN" in os.environ, reason="they are being written")
@pytest.mark.parametrize("question", golden())
def test_rankings_are_as_before(soc_project: Project, question: str) -> None:
    found, before = rank(soc_project, question), golden()[question]
    assert found.keys() == before.keys()
    moved = {
        path: (before[path][0], found[path][0])
        for path in before
        if abs(before[path][0] - found[path][0]) > TOLERANCE
    }
    assert moved == {}, "scores before and now"
    assert {path: found[path][1] for path in before} == {path: before[path][1] for path in before}


@pytest.mark.skipif("HDLGRAPH_WRITE_GOLDEN" not in os.environ, reason="only on demand")
def test_write_them_anew(soc_project: Project) -> None:
    lines = [HEAD]
    for question in golden():
        lines.append(f"? {question}")
        ranking = rank(soc_project, question)
        lines += [f"{score:.3f} {path} {kinds}" for path, (score, kinds) in ranking.items()]
        lines.append("")
    GOLDEN.write_text("\n".join(lines), encoding="utf-8")
