"""Reads JSON, and threads: JSON records one a line, each a question with its answer or a text.

A record has a text under `text`, `content` or `body`, or a `question` with `answers`; what it is
called stands under `title`, `subject` or `question`. `crumbs`, `id`, `url` and `page` count where
they are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hdlgraph.parsers.documents.headings import document
from hdlgraph.parsers.documents.records import Document, DocumentError, Section
from hdlgraph.parsers.documents.text import one_line, text_of

TITLES = ("title", "subject", "question", "name")
TEXTS = ("text", "content", "body", "question", "description")
ANSWERS = ("answer", "answers", "messages", "replies", "comments")
ACCEPTED = ("accepted", "is_accepted", "is_answer", "solution")
TITLE = 200
"""Characters of a first message that are the title of a conversation without one."""
LINES = 200
"""Lines `key: value` of a section of plain JSON."""
DEPTH = 30
"""Objects nested deeper are left out."""


def read_json(data: bytes) -> Document:
    """Returns the sections of a JSON file: its records, or else the values by their keys."""
    text, encoding = text_of(data)
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DocumentError(f"is no JSON ({error})") from error
    listed = found if isinstance(found, list) else [found]
    records = [one for one in listed if isinstance(one, dict) and _is_record(one)]
    if records and len(records) * 2 >= len(listed):
        return document("", (_record(one) for one in records), encoding=encoding)
    return document("", _by_keys(found), encoding=encoding)


def read_threads(data: bytes) -> Document:
    """Returns one section for each line of a JSONL file; a broken line is a problem."""
    text, encoding = text_of(data)
    sections, problems = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(f"line {number}: is no JSON ({error})")
            continue
        if isinstance(one, dict) and _is_record(one):
            sections.append(_record(one)._replace(line=number, end_line=number))
        else:
            problems.append(f"line {number}: has neither a text nor a question")
    if len(problems) > 5:
        problems = [*problems[:5], f"{len(problems) - 5} more broken lines"]
    return document("", sections, problems=problems, encoding=encoding)


def _is_record(one: Mapping[str, Any]) -> bool:
    told = any(isinstance(one.get(key), str) and one[key].strip() for key in TEXTS)
    return told or bool(_said(one))


def _said(one: Mapping[str, Any]) -> list[str]:
    """Returns the texts of the messages of a record."""
    found = one.get("messages")
    texts = map(_text, found) if isinstance(found, list) else ()
    return [text for text in texts if text.strip()]


def _record(one: Mapping[str, Any]) -> Section:
    title = next((one[key] for key in TITLES if isinstance(one.get(key), str)), "")
    title = title or next(iter(_said(one)), "")[:TITLE]
    texts = [one[key] for key in TEXTS if isinstance(one.get(key), str)]
    answer = _answer(one)
    crumbs = one.get("crumbs")
    told = [one_line(c) for c in crumbs if isinstance(c, str)] if isinstance(crumbs, list) else []
    anchor = one.get("id") if isinstance(one.get("id"), str | int) else ""
    page = one.get("page")
    return Section(
        one_line(title),
        "\n\n".join([*texts[:1], *([answer] if answer else [])]),
        tuple(told[:10]),
        page=page if isinstance(page, int) and 0 < page < 1 << 31 else 0,
        anchor=str(anchor)[:200],
    )


def _answer(one: Mapping[str, Any]) -> str:
    """Returns the accepted answer, else the first; of messages all of them."""
    for key in ANSWERS:
        found = one.get(key)
        if isinstance(found, str):
            return found
        if not isinstance(found, list) or not found:
            continue
        if key == "messages":
            return "\n\n".join(_said(one))
        best = [a for a in found if isinstance(a, dict) and any(a.get(k) for k in ACCEPTED)]
        return _text((best or found)[0])
    return ""


def _text(one: Any) -> str:
    if isinstance(one, str):
        return one
    if isinstance(one, dict):
        return next((one[key] for key in TEXTS if isinstance(one.get(key), str)), "")
    return ""


def _by_keys(found: Any) -> Iterator[Section]:
    """Yields a section for each key at the top, its values as `a.b: value` lines."""
    tops = found.items() if isinstance(found, dict) else [("", found)]
    for key, value in tops:
        lines = list(_lines(value, str(key), 0))
        for start in range(0, len(lines), LINES):
            yield Section(one_line(str(key)), "\n".join(lines[start : start + LINES]))


def _lines(value: Any, name: str, depth: int) -> Iterator[str]:
    if isinstance(value, dict | list) and depth < DEPTH:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _lines(one, f"{name}.{key}" if name else str(key), depth + 1)
    elif not isinstance(value, dict | list) and value not in (None, ""):
        yield f"{name}: {value}" if name else str(value)
