"""Reads pairs to train on: a question a line, with what answers it.

A line is a JSON object of one of these forms:

    {"query": ..., "positive": text, path or section (or a list), "negatives": [...]}
    {"question": ..., "relevant": [paths], "equivalent": [paths]}      a question set of `eval`
    {"question": ..., "anchors": [...], "paths": [...]}                one over documents
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import QuestionsError
from hdlgraph.safety.safe_files import read_regular, reason_of

BYTES = 200_000_000
"""Of the largest file of pairs."""
MOST = 100_000
"""Pairs that are read; more make a training longer, not better."""
CHARS = 20_000
"""Of one text."""
MAX_PROBLEMS = 10
"""Bad lines that a message lists."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and what answers it: names of files or sections, or texts.

    `also` are right as well, but nothing to learn from, such as copies. `wrong` do not answer.
    """

    query: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    line: int = 0


def raise_for(problems: Sequence[str]) -> None:
    """Raises an error that names the first bad lines of a file, if there are any.

    Raises:
        QuestionsError: there are some.
    """
    if problems:
        more = len(problems) - MAX_PROBLEMS
        last = [f"... and {more} more bad lines"] if more > 0 else []
        raise QuestionsError(*problems[:MAX_PROBLEMS], *last)


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """Returns the pairs of a file.

    Raises:
        QuestionsError: it cannot be read, or has bad lines; they are named.
    """
    pairs: list[Pair] = []
    problems: list[str] = []
    for number, line in _lines(path):
        try:
            pairs.append(_pair(msgspec.json.decode(line), number))
        except (ValueError, RecursionError) as error:
            problems.append(f"{path}:{number}: {error}")
    raise_for(problems)
    if not pairs:
        raise QuestionsError(
            f'{path}: no pairs in it; write one object a line, such as {{"query": "...", '
            '"positive": "rtl/top.sv"}'
        )
    return tuple(pairs)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        data = read_regular(path, BYTES)
    except OSError as error:
        raise QuestionsError(
            f"cannot read {path}: {reason_of(error, path)}; check the path"
        ) from error
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    filled = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if len(filled) > MOST:
        raise QuestionsError(f"{path}: {len(filled):,} pairs; {MOST:,} at most, split the file")
    yield from filled


def _pair(found: Any, number: int) -> Pair:
    """Returns the pair of a decoded line (ValueError where it is none)."""
    if not isinstance(found, dict):
        raise ValueError('no JSON object; write {"query": "...", "positive": "..."}')
    query = found.get("query", found.get("question"))
    if not isinstance(query, str) or not any(ch.isalnum() for ch in query[:CHARS]):
        raise ValueError('"query" is missing, or has no letter or digit')
    right = [
        text for key in ("positive", "relevant", "anchors", "paths") for text in _texts(found, key)
    ]
    if not right:
        raise ValueError('"positive" is missing; name what answers the question')
    known = dict.fromkeys(right)
    also = tuple(one for one in _texts(found, "equivalent") if one not in known)
    return Pair(query[:CHARS], tuple(known), tuple(_texts(found, "negatives")), also, number)


def _texts(found: dict[str, Any], key: str) -> list[str]:
    value = found.get(key)
    if value is None:
        return []
    texts: Sequence[Any] = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise ValueError(f'"{key}" must be a text or a list of texts')
    return [text.strip().removeprefix("./")[:CHARS] for text in texts]
