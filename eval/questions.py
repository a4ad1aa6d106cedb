"""Question sets: JSON Lines of a question and the files that answer it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.eval.catalogue import corpus_name

from hdlgraph.errors import QuestionsError

KEYS = ("id", "corpus", "question", "kind", "relevant", "equivalent", "evidence")
"""What a line may hold, besides other phrasings of its question: keys with a text."""

MAX_PROBLEMS = 10
"""Bad lines that one error message lists; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its judgements.

    `relevant` is what should be opened first; `equivalent` counts as right in the lenient
    figures only. Paths are POSIX, relative to the corpus. `line` (1-based) is where it stands.
    `corpus` names the repository that it asks about, "" where the set does not say.
    """

    id: str
    text: str
    relevant: tuple[str, ...]
    equivalent: tuple[str, ...] = ()
    kind: str = ""
    line: int = 0
    corpus: str = ""


class _BadLine(Exception):
    """What is wrong in one line, with the remedy."""


def read_questions(
    path: Path, field: str = "question", paths: Collection[str] | None = None
) -> tuple[Question, ...]:
    """Returns the questions of a JSONL file, in file order.

    Args:
        path: the file; blank lines are skipped.
        field: the key that holds the question's text (sets often hold several phrasings).
        paths: the corpus; when given, every judged path must be in it.

    Raises:
        QuestionsError: the file cannot be read or has bad lines; all of them are named.
    """
    questions: list[Question] = []
    problems: list[str] = []
    first: dict[str, int] = {}
    index = None if paths is None else _PathIndex(paths)
    for number, line in _lines(path):
        try:
            question = _question(line, field, number)
            if question.id in first:
                raise _BadLine(
                    f'duplicate id "{question.id}" (first on line {first[question.id]}); '
                    "give each question its own id"
                )
            first[question.id] = number
            if index is not None:
                index.check(question)
        except _BadLine as error:
            problems.append(f"{path}:{number}: {error}")
        else:
            questions.append(question)
    if problems:
        more = len(problems) - MAX_PROBLEMS
        tail = [f"... and {more} more bad lines"] if more > 0 else []
        raise QuestionsError("\n".join(problems[:MAX_PROBLEMS] + tail))
    if not questions:
        raise QuestionsError(
            f"{path}: no questions in it; write one JSON object a line, such as "
            '{"id": "q1", "question": "...", "relevant": ["rtl/top.sv"]}'
        )
    return tuple(questions)


def check_corpus(path: Path, questions: Collection[Question], corpus: Collection[str]) -> None:
    """Checks that each question's relevant files are among the candidates of `--corpus`.

    Equivalent files may be missing: they are then never found, and never needed.

    Raises:
        QuestionsError: a relevant file is outside the corpus, so the question could not be won.
    """
    allowed = frozenset(corpus)
    problems = [
        f"{path}:{question.line}: {question.id}: relevant file {wanted} is not in the corpus list; "
        "add it to the list or leave the question out"
        for question in questions
        for wanted in question.relevant
        if wanted not in allowed
    ]
    if problems:
        more = len(problems) - MAX_PROBLEMS
        tail = [f"... and {more} more"] if more > 0 else []
        raise QuestionsError("\n".join(problems[:MAX_PROBLEMS] + tail))


def check_name(path: Path, questions: Collection[Question], indexed: str) -> None:
    """Checks that the questions ask about one corpus, and about the one that is indexed.

    Args:
        path: the file of the questions, for messages.
        questions: they may leave their corpus open.
        indexed: name and version of the indexed corpus as `catalogue.corpus_at` gives it; "" when
            it is not one of the catalogue, and any name is accepted.

    Raises:
        QuestionsError: two corpora in one set, or another corpus than the indexed one.
    """
    named = [question for question in questions if question.corpus]
    for question in named:
        first, here = corpus_name(named[0].corpus), corpus_name(question.corpus)
        if here != first:
            raise QuestionsError(
                f'{path}:{question.line}: {question.id}: "corpus" is {question.corpus}, but '
                f"line {named[0].line} has {named[0].corpus}; keep one corpus a file"
            )
        if indexed and here != indexed:
            raise QuestionsError(
                f'{path}:{question.line}: {question.id}: "corpus" is {question.corpus}, but the '
                f"index holds {indexed}; name the index of the right corpus with --index"
            )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise QuestionsError(f"cannot read {path}: {error.strerror}; check the path") from error
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if raw.strip():
            try:
                yield number, raw.decode()
            except UnicodeDecodeError as error:
                raise QuestionsError(
                    f"{path}:{number}: not UTF-8 (byte {raw[error.start]:#04x} in column "
                    f"{error.start + 1}); save the file as UTF-8"
                ) from error


def _question(line: str, field: str, number: int) -> Question:
    try:
        record = json.loads(line, object_pairs_hook=_unique)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _BadLine(f"not JSON{where}: {_short(line)}; write one JSON object a line") from error
    if not isinstance(record, dict):
        raise _BadLine(f"not a JSON object: {_short(line)}; write one JSON object a line")
    _check_keys(record, field)
    relevant = _paths(record, "relevant")
    if not relevant:
        raise _BadLine('"relevant" is empty; name at least one file that answers the question')
    equivalent = tuple(p for p in _paths(record, "equivalent", ()) if p not in relevant)
    return Question(
        id=_id(record, number),
        text=_text(record, field),
        relevant=relevant,
        equivalent=equivalent,
        kind=_word(record, "kind"),
        line=number,
        corpus=_word(record, "corpus"),
    )


def _unique(pairs: list[tuple[str, object]]) -> dict:
    """Returns a JSON object as a dict; of a key given twice the first value would be lost."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _BadLine(f'"{_short(twice)}" is there twice; keep one of them')
    return record


def _check_keys(record: dict, field: str) -> None:
    """Refuses what would be passed over in silence: misspelt keys, values of no known use."""
    for key, value in record.items():
        if key in KEYS or key == field:
            continue
        near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.8)
        if isinstance(value, str) and (not near or near[0] == "question"):
            continue  # another phrasing of the question, or a note
        hint = f'did you mean "{near[0]}"? ' if near else ""
        raise _BadLine(
            f'"{_short(key)}" is {_short(value)}, which nothing reads; {hint}'
            f"known are {', '.join(KEYS)} and other phrasings as text"
        )


def _word(record: dict, key: str) -> str:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise _BadLine(f'"{key}" is {_short(value)}; it must be a string')
    return (value or "").strip()


def _id(record: dict, number: int) -> str:
    value = record.get("id")
    if value is None:
        raise _BadLine('"id" is missing; give each question its own id')
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        raise _BadLine(f'"id" is {_short(value)}; it must be a non-empty string')
    if any(ch.isspace() for ch in str(value)):
        raise _BadLine(f'"id" {_short(value)} has a space in it; TREC files cannot hold that')
    if not str(value).isprintable():
        raise _BadLine(f'"id" {value!a} has a character that cannot be printed; take another')
    return str(value)


def _text(record: dict, field: str) -> str:
    if field not in record:
        keys = ", ".join(sorted(key for key, value in record.items() if isinstance(value, str)))
        raise _BadLine(f'"{field}" is missing; add it, or name another field (here: {keys})')
    value = record[field]
    if not isinstance(value, str) or not value.strip():
        raise _BadLine(f'"{field}" is {_short(value)}; it must be a non-empty string')
    if not any(ch.isalnum() for ch in value):
        raise _BadLine(f'"{field}" is {_short(value)}; it has no letter or digit to search for')
    return value


def _paths(record: dict, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
    value = record.get(key)
    if value is None:
        if default is None:
            raise _BadLine(f'"{key}" is missing; list the files that answer the question')
        return default
    if not isinstance(value, list) or not all(isinstance(p, str) and p.strip() for p in value):
        raise _BadLine(f'"{key}" is {_short(value)}; it must be a list of paths')
    return tuple(dict.fromkeys(path.removeprefix("./") for path in value))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _PathIndex:
    """Known paths, and the most similar one of an unknown path."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = frozenset(paths)
        self.by_name: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            self.by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)

    def check(self, question: Question) -> None:
        for key in ("relevant", "equivalent"):
            for path in getattr(question, key):
                if path not in self.paths:
                    raise _BadLine(
                        f'"{key}" names {path}, which is not in the index; '
                        f"{self._similar(path)}correct the path or index the matching corpus"
                    )

    def _similar(self, path: str) -> str:
        name = path.rsplit("/", 1)[-1]
        same = self.by_name.get(name) or self.by_name.get(
            next(iter(difflib.get_close_matches(name, self.by_name, n=1, cutoff=0.8)), "")
        )
        return f"did you mean {same[0]}? " if same else ""
