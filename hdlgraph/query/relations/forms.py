"""The forms in which people ask for relations, as patterns over whole questions.

They stand in `forms.txt`, which says how it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from hdlgraph.query.relations.sought import Sought

SURENESS = {"firm": 1.0, "usual": 0.8, "loose": 0.6}
"""How sure a form is: nothing else is asked so; seldom; often, where no design unit is meant."""
_SLOT = re.compile(r"\{([a-z]+)\}")


class _File(NamedTuple):
    """What `forms.txt` holds."""

    cues: dict[Sought, tuple[str, ...]]
    words: dict[str, str]
    forms: list[tuple[Sought, float, str]]


@cache
def _read() -> _File:
    """Returns the words that questions must have, those that forms take up, and the forms."""
    text = files(__package__).joinpath("forms.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    first, second = lines.index("[words]"), lines.index("[forms]")
    cues = dict(line.split(" = ", 1) for line in lines[1:first])
    found = []
    for line in lines[second + 1 :]:
        head, form = line.split(": ", 1)
        name, sureness = head.split(" ")
        found.append((_sought(name), SURENESS[sureness], form))
    return _File(
        {_sought(name): tuple(said.split(",")) for name, said in cues.items()},
        dict(line.split(" = ", 1) for line in lines[first + 1 : second]),
        found,
    )


def _sought(name: str) -> Sought:
    return Sought(name.replace("-", " "))


def matching(text: str) -> Iterator[tuple[Sought, float, re.Match[str]]]:
    """Yields what a question may seek, how surely, and how a form fits it, the likeliest first.

    Patterns take a millisecond each to make: those that no question needed are never made.
    """
    lower, kept = text.lower(), _read()
    asked = {sought for sought, cues in kept.cues.items() if any(cue in lower for cue in cues)}
    for number, (sought, sure, _) in enumerate(kept.forms):
        found = _pattern(number).fullmatch(text) if sought in asked else None
        if found:
            yield sought, sure, found


@cache
def _pattern(number: int) -> re.Pattern[str]:
    return re.compile(_filled(_read().forms[number][2]), re.I)


def _filled(form: str) -> str:
    """Returns a form as a pattern; the second phrase of a kind gets the name `name_2`."""
    words = _read().words
    seen: dict[str, int] = {}

    def place(found: re.Match[str]) -> str:
        word = found[1]
        seen[word] = seen.get(word, 0) + 1
        text = _SLOT.sub(lambda inner: words[inner[1]], words[word])
        return text if seen[word] == 1 else text.replace(f"<{word}>", f"<{word}_{seen[word]}>")

    return _SLOT.sub(place, form)


@cache
def is_kind() -> re.Pattern[str]:
    """Returns the pattern of words that say no more than that a design unit is meant."""
    return re.compile(rf"(?:the |a |an |other |exact |specific )*{_read().words['unit']}", re.I)
