"""Asks the questions of each repository in a workspace of all, and in its own index beside it.

    python -m hdlgraph.eval.protocols.workspace NAME=INDEX=QUESTIONS... [--most N] [--words]

A question is answered right by a file that its set names (relevant or equivalent), in its own
repository; in the workspace a file of the same content in another one counts too, as the two are
one hit there. Printed for each repository and for all: recall@1 and @5 in its own index and in the
workspace, the share of questions whose first hit is of the right repository (or such a copy), what
plain sorting by score reaches, and how well the confidence is calibrated (expected calibration
error over ten bins). The questions are drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.sets.line import Question
from hdlgraph.eval.sets.named import named_sets
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.project.workspace import Workspace
from hdlgraph.project.workspace.file import Entry
from hdlgraph.project.workspace.members import Members
from hdlgraph.query.workspace.records import WorkspaceHit

SEED = 20260101
FIVE = 5
BINS = 10


class Counts:
    """What was counted of some questions."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []

    def add(self, row: dict[str, float]) -> None:
        """Adds one question."""
        self.rows.append(row)

    def means(self) -> dict[str, Any]:
        """Returns the means, and the calibration error of the confidence."""
        rows, found = self.rows, {"questions": len(self.rows)}
        names = [name for name in rows[0] if name != "confidence"] if rows else []
        means: dict[str, Any] = {
            name: round(sum(row[name] for row in rows) / len(rows), 3) for name in names
        }
        gap = 0.0
        for number in range(BINS):
            some = [row for row in rows if min(int(row["confidence"] * BINS), BINS - 1) == number]
            gap += abs(sum(row["confidence"] - row["workspace@5"] for row in some))
        return {**found, **means, "calibration error": round(gap / max(len(rows), 1), 3)}


def measure(
    sets: Mapping[str, tuple[Path, Path]], most: int = 0, settings: Path | None = None
) -> dict[str, Any]:
    """Returns the figures of each repository, and of all, by name.

    Args:
        sets: index and questions of each repository, by its name.
        most: questions of one set; 0 takes all.
        settings: a settings file for all of them.
    """
    workspace = Workspace(
        Members([Entry(name, index) for name, (index, _) in sets.items()], settings)
    )
    draw, whole, found = random.Random(SEED), Counts(), {}
    for name, (_, file) in sets.items():
        questions = list(read_questions(file))
        if most and len(questions) > most:
            questions = [questions[n] for n in sorted(draw.sample(range(len(questions)), most))]
        counts = Counts()
        for question in questions:
            row = _asked(workspace, name, question)
            counts.add(row)
            whole.add(row)
        found[name] = counts.means()
        sys.stderr.write(f"{name}: {json.dumps(found[name])}\n")
    return {**found, "all": whole.means()}


def _asked(workspace: Workspace, name: str, question: Question) -> dict[str, float]:
    """Returns what one question reaches."""
    relevant = {*question.relevant, *question.equivalent}
    project = workspace.project(name)
    files = project.manifest().files
    contents = {files[path].sha256 for path in relevant if path in files} - {""}
    own = project.search(question.text, k=FIVE, rerank=False, lines=False)
    found = workspace.search(question.text, k=len(workspace.names) * 10, lines=False)

    def right(hit: WorkspaceHit) -> bool:
        here = [(hit.repository, path) for path in (hit.path, *hit.copies)]
        here += [(at.repository, at.path) for at in hit.also]
        if any(where == name and path in relevant for where, path in here):
            return True
        known = workspace.project(hit.repository).manifest().files
        entry = known.get(hit.path)
        return bool(entry and entry.sha256 in contents)

    first = found.hits[:FIVE]
    by_score = sorted(found.hits, key=lambda hit: -hit.score)[:FIVE]
    alone = [not relevant.isdisjoint((hit.path, *hit.copies)) for hit in own.hits]
    ours = [right(hit) for hit in first]
    plain = [right(hit) for hit in by_score]
    at_home = bool(first) and (first[0].repository == name or ours[0])
    return {
        "own@1": float(any(alone[:1])),
        "own@5": float(any(alone)),
        "workspace@1": float(any(ours[:1])),
        "workspace@5": float(any(ours)),
        "right repository": float(at_home),
        "by score@1": float(any(plain[:1])),
        "by score@5": float(any(plain)),
        "confidence": found.confidence or 0.0,
    }


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints one JSON object."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.eval.protocols.workspace", description=__doc__
    )
    parser.add_argument("sets", nargs="+", metavar="NAME=INDEX=QUESTIONS")
    parser.add_argument("--most", type=int, default=0, help="questions of one set")
    parser.add_argument("--words", action="store_true", help="search by words and graph alone")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "words.yaml"
        settings.write_text("hdlgraph: {embedding: {provider: none}}\n")
        found = measure(named_sets(given.sets), given.most, settings if given.words else None)
    sys.stdout.write(json.dumps({"schema": 1, **found}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
