"""Question sets: JSON Lines of a question and the files that answer it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

from hdlgraph.errors import QuestionsError
from hdlgraph.eval.sets.catalogue import corpus_name
from hdlgraph.eval.sets.line import BadLine, Question, to_question

__all__ = ["Question", "check_corpus", "check_name", "read_questions"]

MAX_PROBLEMS = 10
"""Bad lines that one error message lists; the rest is counted."""


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
            question = to_question(line, field, number)
            if question.id in first:
                raise BadLine(
                    f'duplicate id "{question.id}" (first on line {first[question.id]}); '
                    "give each question its own id"
                )
            first[question.id] = number
            if index is not None:
                index.check(question)
        except BadLine as error:
            problems.append(f"{path}:{number}: {error}")
        else:
            questions.append(question)
    if problems:
        more = len(problems) - MAX_PROBLEMS
        tail = [f"... and {more} more bad lines"] if more > 0 else []
        raise QuestionsError(*problems[:MAX_PROBLEMS], *tail)
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
        raise QuestionsError(*problems[:MAX_PROBLEMS], *tail)


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
                    raise BadLine(
                        f'"{key}" names {path}, which is not in the index; '
                        f"{self._similar(path)}correct the path or index the matching corpus"
                    )

    def _similar(self, path: str) -> str:
        name = path.rsplit("/", 1)[-1]
        same = self.by_name.get(name) or self.by_name.get(
            next(iter(difflib.get_close_matches(name, self.by_name, n=1, cutoff=0.8)), "")
        )
        return f"did you mean {same[0]}? " if same else ""
