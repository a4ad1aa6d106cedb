"""Reads files of answers: what was asked, what was answered, what would have been right."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from hdlgraph.errors import QuestionsError
from hdlgraph.safety.safe_files import read_regular, reason_of

LIMIT = 200_000_000
Record = TypeVar("Record")


class Given(msgspec.Struct, frozen=True):
    """An answer; `reference` is "" where the question cannot be answered or none is known."""

    question: str
    answer: str
    id: str = ""
    reference: str = ""
    model: str = ""
    flow: str = ""
    set: str = ""

    @property
    def key(self) -> str:
        """Returns what distinguishes this answer from all others of a file."""
        return "/".join(filter(None, (self.set, self.flow, self.id)))


class _Reference(msgspec.Struct, frozen=True):
    id: str
    answer: str = ""
    reference: str = ""


def read_answers(path: Path, questions: Path | None = None) -> list[Given]:
    """Returns the answers of a JSONL file; keys that are not known are passed over.

    Args:
        path: a record with `question` and `answer` a line, as `eval sets` and `eval flows` write.
        questions: a file of questions whose `answer` (or `reference`), by `id`, is the reference.

    Raises:
        QuestionsError: a file cannot be read, a line is no answer, two have the same id, or an
            answer has an id that the questions do not have.
    """
    found: list[Given] = []
    seen: set[str] = set()
    known = _references(questions) if questions else None
    for number, one in _records(path, Given):
        given = msgspec.structs.replace(one, id=one.id or f"line-{number}")
        if known is not None:
            if given.id not in known:
                raise QuestionsError(f"{path}:{number}: {questions} has no question {given.id!r}")
            given = msgspec.structs.replace(given, reference=known[given.id])
        if given.key in seen:
            raise QuestionsError(f"{path}:{number}: a second answer to {given.key!r}")
        seen.add(given.key)
        found.append(given)
    if not found:
        raise QuestionsError(f"{path}: no answer in it; write one JSON object a line")
    return found


def _references(path: Path) -> dict[str, str]:
    return {one.id: one.reference or one.answer for _, one in _records(path, _Reference)}


def _records(path: Path, kind: type[Record]) -> list[tuple[int, Record]]:
    try:
        lines = read_regular(path, LIMIT).splitlines()
    except OSError as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append((number, msgspec.json.decode(line, type=kind)))
        except msgspec.MsgspecError as error:
            raise QuestionsError(f"{path}:{number}: {error}") from error
    return found
