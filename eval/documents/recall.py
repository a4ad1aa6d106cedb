"""Micro recall of passages: of all judged passages, how many stand among the first k.

    python -m hdlgraph.eval.documents.recall QUESTIONS.jsonl INDEX

A question has `question` and `anchors`, those of the passages that answer it, or `paths`, each
`PATH` or `PATH:LINE` of a section.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import QuestionsError
from hdlgraph.model.passage import Passage
from hdlgraph.safety.safe_files import read_regular

if TYPE_CHECKING:
    from hdlgraph.project import Project

KS = (1, 3, 5, 10, 20)
LIMIT = 100_000_000


class JudgedPassages(msgspec.Struct, frozen=True):
    """A question and the passages that answer it."""

    question: str
    id: str = ""
    anchors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def read_questions(path: Path) -> list[JudgedPassages]:
    """Returns the questions of a file.

    Raises:
        QuestionsError: a line is no question, or names no passage.
    """
    found = []
    for number, line in enumerate(read_regular(path, LIMIT).splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=JudgedPassages)
        except msgspec.MsgspecError as error:
            raise QuestionsError(f"{path}:{number}: {error}") from error
        if not one.anchors and not one.paths:
            raise QuestionsError(f"{path}:{number}: names no passage: give anchors or paths")
        found.append(one)
    return found


def places(found: Iterable[Passage]) -> list[tuple[str, ...]]:
    """Returns how each passage may be named: by anchor, path, and path with line."""
    out = []
    for one in found:
        also = [name for p in one.places for name in (p.path, f"{p.path}:{p.line}")]
        out.append((one.anchor, one.path, f"{one.path}:{one.line}", *also))
    return out


def measure(
    project: Project, questions: Sequence[JudgedPassages], ks: Sequence[int] = KS, kind: str = "doc"
) -> dict[str, Any]:
    """Returns micro recall at each k, the number of judged passages, and what no index has."""
    ks = sorted(ks)
    hit, total = dict.fromkeys(ks, 0), 0
    for one in questions:
        ranked = places(project.passages(one.question, kind=kind, k=ks[-1]))
        wanted = (*one.anchors, *one.paths)
        total += len(wanted)
        for k in ks:
            names = {name for found in ranked[:k] for name in found}
            hit[k] += sum(name in names for name in wanted)
    return {
        "schema": 1,
        "questions": len(questions),
        "judged": total,
        "recall": {str(k): round(hit[k] / max(total, 1), 4) for k in ks},
    }


def main(arguments: Sequence[str]) -> None:
    """Prints the recall of an index as JSON."""
    from hdlgraph.project import Project

    questions, index = map(Path, arguments)
    found = measure(Project.open(index), read_questions(questions))
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
