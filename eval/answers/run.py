"""Answers the questions of a file without a model, and checks what each answer cites."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import QuestionsError
from hdlgraph.eval.answers.facts import facts_shown
from hdlgraph.eval.answers.papers import papers_of
from hdlgraph.eval.answers.truth import Claim, claims
from hdlgraph.results import EXTRACTIVE
from hdlgraph.safety.safe_files import reason_of

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.results import Answer

UNITS = frozenset({"module", "interface", "package", "program", "class", "checker", "primitive"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a file: its key, its text, and the facts that a right answer must state."""

    id: str
    text: str
    facts: Sequence[Mapping[str, Any]] = ()


def asked_of(path: Path, field: str = "question") -> list[Asked]:
    """Returns the questions of a JSONL file; any other keys of a line are passed over.

    Raises:
        QuestionsError: the file cannot be read, or a line holds no question.
    """
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    found = []
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            line = json.loads(row)
            text = line[field]
        except (ValueError, KeyError, TypeError) as error:
            message = f'{path}:{number}: no "{field}"; write one JSON object a line'
            raise QuestionsError(message) from error
        facts = [fact for fact in _list(line.get("facts")) if isinstance(fact, dict)]
        found.append(Asked(str(line.get("id", f"line-{number}")), str(text), facts))
    return found


def _list(value: object) -> list[Any]:
    """Returns a value that is a list, [] for any other: keys of a question may hold anything."""
    return value if isinstance(value, list) else []


def answered(
    project: Project, questions: Collection[Asked], writer: str = "extractive"
) -> Iterator[dict[str, Any]]:
    """Yields the record of each answer: question, text, citations, hits, and what was checked.

    Args:
        project: its index answers.
        questions: to be asked.
        writer: as of `Project.ask`.
    """
    check = Check(project)
    for one in questions:
        answer = project.ask(one.text, writer=writer)
        checked = [asdict(claim) for claim in check.claims(answer)]
        yield {
            "id": one.id,
            "question": one.text,
            "answer": answer.text,
            "found": answer.found,
            "model": answer.model,
            "citations": [c.place for c in answer.citations],
            "hits": [hit.path for hit in answer.result.hits],
            "checked": checked,
            "facts": asdict(facts_shown(one.facts, checked)),
            "notes": [*answer.notes, *answer.result.notes],
        }


class Check:
    """Checks answers of one project against its files and the units of its index."""

    def __init__(self, project: Project) -> None:
        self._read = cache(project.source_text)
        self._papers = papers_of(project)
        graph = project.graph()
        self._units: dict[str, list[tuple[int, int, str]]] = {}
        columns = [graph.nodes.column(n) for n in ("path", "line", "end_line", "kind", "name")]
        for path, line, end_line, kind, name in zip(*columns, strict=True):
            if path and kind in UNITS:
                self._units.setdefault(path, []).append((line, end_line, name))

    def claims(self, answer: Answer) -> list[Claim]:
        """Returns what an answer cites, each with what is wrong; of a model's only the places."""
        return self.of_text(answer.text, worded=answer.model != EXTRACTIVE)

    def of_text(self, text: str, worded: bool) -> list[Claim]:
        """Returns what the text of an answer cites; `worded` says that a model wrote it."""
        return claims(text, self._read, self._enclosing, places_only=worded, papers=self._papers)

    def _enclosing(self, path: str, line: int) -> Collection[str]:
        around = self._units.get(path, ())
        return {name for first, last, name in around if first <= line <= last}
