"""Questions that name a relation of a design: is the answer first, and is its edge shown?

    python -m hdlgraph.eval.structural.relations QUESTIONS INDEX [QUESTIONS INDEX ...] [--json]

A question names, besides the files that answer it, the file of what it asks about (`argument`) and
the line that states the relation (`evidence`). The same search without readings of relations is
measured beside it. An edge is told where the evidence of the first FIRST hits says a place within
NEAR lines in words; it is shown where it is told, or a line of their cards is within NEAR lines. It
is first where the first line that a right hit tells, or shows where it tells none, is that one.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from hdlgraph.errors import telling_errors
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.structural.elaborated import say
from hdlgraph.project import Project
from hdlgraph.query.relations.feature import Related
from hdlgraph.results import Hit, SearchResult

FIRST, NEAR, LOOKED_AT = 5, 3, 20
PLAIN, WITH = "without readings", "hdlgraph"
HEADS = {"first": "first", "five": "in five", "edge": "edge", "shown": "shown",
         "line 1": "line first", "arg@3": "argument in three"}  # fmt: skip
"""What is printed, by the head of its column."""
SURE = frozenset({"identifier", "printed", "verbatim"})
"""Kinds of evidence whose line says what is asked for, beside relations."""


class Outcome(NamedTuple):
    """Ranks from 1 of the answer and of the argument, 0 beyond LOOKED_AT, and where the edge is."""

    answer: int
    argument: int
    edge: bool
    shown: bool
    line_first: bool


def outcome(found: SearchResult, asked: dict[str, Any]) -> Outcome:
    """Returns what a search found of a question."""
    paths = [hit.path for hit in found.hits]
    path, _, line = asked["evidence"].rpartition(":")
    number = int(line.partition("-")[0])
    excerpt = json.dumps(found.to_dict()["hits"][:FIRST])
    near = range(number - NEAR, number + NEAR + 1)
    told = any(re.search(rf"{re.escape(path)}:{one}(?!\d)", excerpt) for one in near)
    on_cards = any(path == one and line in near for hit in found.hits[:FIRST]
                   for one, line in _places(hit))  # fmt: skip
    right = next((hit for hit in found.hits[:FIRST] if hit.path in asked["relevant"]), None)
    begins = next(iter(_places(right)), ("", 0)) if right else ("", 0)
    return Outcome(
        _rank(paths, asked["relevant"]),
        _rank(paths, asked["argument"]),
        told,
        told or on_cards,
        begins[0] == path and begins[1] in near,
    )


def _places(hit: Hit) -> list[tuple[str, int]]:
    """Returns the places that a reader of a hit sees, those told by relations first."""
    told = [(one.path, one.line) for one in hit.evidence if one.kind == "relation"]
    sure = [(one.path, one.line) for one in hit.evidence if one.kind in SURE]
    return [*told, *((hit.path, one.line) for one in hit.lines), *sure]


def _rank(paths: Sequence[str], wanted: Iterable[str]) -> int:
    return next((rank for rank, path in enumerate(paths, 1) if path in {*wanted}), 0)


def shares(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Returns the shares of questions that are right, from 0 to 1."""

    def share(good: Iterable[bool]) -> float:
        return sum(good) / len(outcomes)

    return {
        "first": share(one.answer == 1 for one in outcomes),
        "in five": share(0 < one.answer <= FIRST for one in outcomes),
        "edge": share(one.edge for one in outcomes),
        "shown": share(one.shown for one in outcomes),
        "line first": share(one.line_first for one in outcomes),
        "argument in three": share(0 < one.argument <= 3 for one in outcomes),
    }


def unread() -> AbstractContextManager[Any]:
    """Returns what keeps searches from reading questions as questions for relations."""
    return patch.object(Related, "score", lambda *_: None)


def measure(pairs: Sequence[tuple[Path, Path]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Returns group -> system -> shares: of each corpus, of each relation, of all.

    Args:
        pairs: question sets, each with the index of its corpus.
    """
    rows: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for questions, index in pairs:
        read_questions(questions)  # refuses what is no question
        project = Project.open(index)
        for line in questions.read_text("utf-8").splitlines():
            asked = json.loads(line)
            for system, searching in ((WITH, nullcontext()), (PLAIN, unread())):
                with searching:
                    found = outcome(
                        project.search(asked["question"], k=LOOKED_AT, rerank=False), asked
                    )
                for group in (f"corpus {asked['corpus']}", f"relation {asked['kind']}", "all"):
                    rows[group][system].append(found)
    return {
        group: {
            system: {"questions": len(found), **shares(found)} for system, found in each.items()
        }
        for group, each in sorted(rows.items(), key=lambda one: (one[0] != "all", one[0]))
    }


@telling_errors
def main() -> None:
    """Reads the command line and prints the shares."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.structural.relations", description=(__doc__ or "")
    )
    parser.add_argument("pairs", nargs="+", type=Path, metavar="QUESTIONS INDEX")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args()
    if len(given.pairs) % 2:
        parser.error("give question sets and indexes in turn")
    found = measure(list(zip(given.pairs[::2], given.pairs[1::2], strict=True)))
    if given.as_json:
        say(json.dumps({"schema": 1, "groups": found}, indent=2))
        return
    say(f"{'':28} {'n':>4} " + " ".join(f"{one:>7}" for one in HEADS))
    for group, each in found.items():
        for system, row in each.items():
            name = group if system == WITH else f"  {system}"
            figures = (row[key] for key in HEADS.values())
            say(f"{name:28} {row['questions']:4} " + " ".join(f"{one:7.2f}" for one in figures))


if __name__ == "__main__":
    raise SystemExit(main())
