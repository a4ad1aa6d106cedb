"""Writes before an answer what the short forms stand for that its question asks about.

What the repository defines is cited by the line that does so; what is known from elsewhere is
marked as general knowledge and never cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

import msgspec

from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.query.question.abbreviations import describe
from hdlgraph.results import Answer, Citation

_WORD = re.compile(r"[a-z0-9]+")


def with_meanings(
    answer: Answer, forms: Sequence[ShortForm], read_text: Callable[[str], str]
) -> Answer:
    """Returns an answer that begins with the meanings of short forms; as it was without any."""
    lines: list[str] = []
    citations = list(answer.citations)
    for _, meanings in groupby(forms, lambda form: form.short):
        others = []
        for form in meanings:
            place = _place(form, read_text)
            if place is None:
                others.append(form)
                continue
            path, line = place
            lines.append(f"{form.short} is short for {form.long} [{path}:{line}]")
            if not any((c.path, c.line, c.end_line) == (path, line, line) for c in citations):
                citations.append(Citation(len(citations) + 1, path, line, line))
        if others:
            own = all(form.source == "team" for form in others)
            described = describe([msgspec.structs.replace(form, place="") for form in others])
            lines.append(described if own else f"General knowledge: {described}")
    if not lines:
        return answer
    text = "\n".join((*lines, "", answer.text))
    return msgspec.structs.replace(answer, text=text, citations=tuple(citations))


def _place(form: ShortForm, read_text: Callable[[str], str]) -> tuple[str, int] | None:
    """Returns the path and line that define a form word for word, None where none does."""
    path, _, line = form.place.rpartition(":")
    if form.source != "mined" or not path or not line.isdigit():
        return None
    lines = read_text(path).split("\n")
    number = int(line)
    if not 1 <= number <= len(lines):
        return None
    stands = set(_WORD.findall(lines[number - 1].lower()))
    words = set(_WORD.findall(f"{form.short} {form.long}".lower()))
    return (path, number) if words <= stands else None
