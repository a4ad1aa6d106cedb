"""One line of a question set: a judged question, or what is wrong with it."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import Any

KEYS = ("id", "corpus", "question", "kind", "relevant", "equivalent", "evidence")
"""What is known of a line; it may hold other phrasings of its question and notes besides."""


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


class BadLine(Exception):
    """What is wrong in one line, with the remedy."""


def to_question(line: str, field: str, number: int) -> Question:
    """Returns the question of a line; `field` is the key of its text, `number` the line's.

    Raises:
        BadLine: it is not a question as data/README.md describes it.
    """
    try:
        record = json.loads(line, object_pairs_hook=_unique)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadLine(f"not JSON{where}: {_short(line)}; write one JSON object a line") from error
    if not isinstance(record, dict):
        raise BadLine(f"not a JSON object: {_short(line)}; write one JSON object a line")
    _check_keys(record, field)
    relevant = _paths(record, "relevant")
    if not relevant:
        raise BadLine('"relevant" is empty; name at least one file that answers the question')
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


def _unique(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    """Returns a JSON object as a dict; of a key given twice the first value would be lost."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadLine(f'"{_short(twice)}" is there twice; keep one of them')
    return record


def _check_keys(record: dict[str, Any], field: str) -> None:
    """Refuses keys that are misspelt; others hold notes of the set's author, of any type."""
    for key, value in record.items():
        if key in KEYS or key == field:
            continue
        near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.8)
        if not near or (isinstance(value, str) and near[0] == "question"):
            continue  # another phrasing of the question, or a note
        raise BadLine(
            f'"{_short(key)}" is {_short(value)}, which nothing reads; did you mean "{near[0]}"? '
            f"known are {', '.join(KEYS)}"
        )


def _word(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise BadLine(f'"{key}" is {_short(value)}; it must be a string')
    _check_text(key, value or "")
    return (value or "").strip()


def _check_text(key: str, value: str) -> None:
    """Refuses halves of surrogate pairs: JSON can write them, and no file can hold them."""
    if any("\ud800" <= ch <= "\udfff" for ch in value):
        raise BadLine(f'"{key}" is {ascii(value)[:60]}, which is no text that UTF-8 can hold')


def _id(record: dict[str, Any], number: int) -> str:  # noqa: ARG001
    value = record.get("id")
    if value is None:
        raise BadLine('"id" is missing; give each question its own id')
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        raise BadLine(f'"id" is {_short(value)}; it must be a non-empty string')
    if any(ch.isspace() for ch in str(value)):
        raise BadLine(f'"id" {_short(value)} has a space in it; TREC files cannot hold that')
    if not str(value).isprintable():
        raise BadLine(f'"id" {value!a} has a character that cannot be printed; take another')
    return str(value)


def _text(record: dict[str, Any], field: str) -> str:
    if field not in record:
        keys = ", ".join(sorted(key for key, value in record.items() if isinstance(value, str)))
        raise BadLine(f'"{field}" is missing; add it, or name another field (here: {keys})')
    value = record[field]
    if not isinstance(value, str) or not value.strip():
        raise BadLine(f'"{field}" is {_short(value)}; it must be a non-empty string')
    _check_text(field, value)
    if not any(ch.isalnum() for ch in value):
        raise BadLine(f'"{field}" is {_short(value)}; it has no letter or digit to search for')
    return value


def _paths(
    record: dict[str, Any], key: str, default: tuple[str, ...] | None = None
) -> tuple[str, ...]:
    value = record.get(key)
    if value is None:
        if default is None:
            raise BadLine(f'"{key}" is missing; list the files that answer the question')
        return default
    if not isinstance(value, list) or not all(isinstance(p, str) and p.strip() for p in value):
        raise BadLine(f'"{key}" is {_short(value)}; it must be a list of paths')
    return tuple(dict.fromkeys(path.removeprefix("./") for path in value))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
