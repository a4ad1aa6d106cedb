"""Labels to train a reranker on: for a question, files in the order in which they answer it.

A line of LABELS is a JSON object: `question`, `paths` (what was shown, as the search ranked it) and
`order` (numbers from 1 into `paths`, best first). `id`, `model`, `prompt`, `answer` and `cards`
record where it comes from. A judged question set (`relevant`, `equivalent`) serves as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import QuestionsError
from hdlgraph.safety.safe_files import read_regular, reason_of, write_atomic
from hdlgraph.train.pairs import BYTES, MOST, raise_for


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """An order of cards as a model gave it, with what it was asked and what it answered."""

    question: str
    paths: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    relevant: tuple[str, ...] = ()
    equivalent: tuple[str, ...] = ()
    id: str | int = ""
    model: str = ""
    prompt: str = ""
    answer: Any = None


LEARNT = 3
"""Files of a model's order that count as better than those after them; the rest says less."""


@dataclass(frozen=True, slots=True)
class Preference:
    """What is known of a question.

    `ranked` are files, best first; where they are `judged` all of them are right, and every other
    file but those `ignored` is worse. Otherwise nothing is known of files beside them.
    """

    question: str
    ranked: tuple[str, ...]
    judged: bool
    ignored: frozenset[str]
    line: int

    @property
    def right(self) -> tuple[str, ...]:
        """Returns the files that win the question when they stand first."""
        return self.ranked if self.judged else self.ranked[:1]

    def rank(self, path: str) -> float:
        """Returns the rank of a file, 0 for the best; NaN where nothing is known of it."""
        if self.judged:
            return math.nan if path in self.ignored else float(path not in self.ranked)
        return float(self.ranked.index(path)) if path in self.ranked else math.nan


def read_labels(path: Path) -> tuple[Preference, ...]:
    """Returns the preferences of a file of labels.

    Raises:
        QuestionsError: it cannot be read, or has bad lines; they are named.
    """
    try:
        data = read_regular(path, BYTES)
    except OSError as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    found: list[Preference] = []
    problems: list[str] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_preference(msgspec.json.decode(line, type=Label), number))
        except (ValueError, RecursionError) as error:
            problems.append(f"{path}:{number}: {error}")
    raise_for(problems)
    if not found:
        raise QuestionsError(f"{path}: no labels in it; `hdlgraph train label` writes them")
    return tuple(found[:MOST])


def _preference(label: Label, line: int) -> Preference:
    """Returns the preference of a label (ValueError where it says none)."""
    if not any(ch.isalnum() for ch in label.question):
        raise ValueError('"question" has no letter or digit')
    if label.relevant:
        ignored = frozenset(label.equivalent) - set(label.relevant)
        return Preference(label.question, label.relevant, True, ignored, line)
    count = len(label.paths)
    order = [n for n in dict.fromkeys(label.order) if 1 <= n <= count]
    if count < 2 or not order:
        raise ValueError('neither "relevant", nor "order" with numbers into two or more "paths"')
    ranked = dict.fromkeys([*(label.paths[n - 1] for n in order), *label.paths])
    return Preference(label.question, tuple(ranked), False, frozenset(), line)


def write_labels(path: Path, labels: Sequence[Label]) -> None:
    """Writes labels, one a line, in place of the file.

    Raises:
        QuestionsError: it cannot be written.
    """
    lines = [msgspec.json.encode(_filled(label)) for label in labels]
    try:
        write_atomic(path, b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise QuestionsError(
            f"cannot write {path}: {reason_of(error, path)}; name another file with --out"
        ) from error


def _filled(label: Label) -> dict[str, Any]:
    values = msgspec.to_builtins(label)
    return {key: value for key, value in values.items() if value not in ("", (), [], None)}
