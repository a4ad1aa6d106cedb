"""Finds licence notices and generator banners in comment text.

Two tests, both line by line. Known wording: a line most of whose words lie in runs of four words
that a notice of `licences.txt` has too; line breaks and holders' names do not matter. Telling
words (copyright, warranty ...): all from the first to the last such line of a paragraph, for
notices that the file does not know.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

RUN = 4
"""So many words in a row that a known notice has too make a line one of a notice."""
DATA = "licences.txt"

_WORD = re.compile(r"[a-z0-9]+")
_LICENCE = re.compile(
    r"copyright|\(c\)\s*(?:19|20)\d\d|©|licen[cs]e|spdx|all rights reserved|warrant(?:y|ies)|"
    r"redistribut|liab(?:le|ility)|without limitation|in no event|\bas[ -]is\b|"
    r"applicable law|permission is hereby|express or implied|contributors? may be used|"
    r"endorse or promote|provided with the distribution|following disclaimer|"
    r"free software foundation|gnu (?:lesser|general)|merchantab|fitness for a particular|"
    r"written permission|you may obtain a copy|compliance with the|confidential|proprietary",
    re.IGNORECASE,
)
# Every match of _LICENCE holds one of these; plain substrings are ten times faster to rule out.
_MARKS = (
    *("copyright", "(c)", "©", "licen", "spdx", "reserved", "warrant", "redistribut", "liab"),
    *("limitation", "no event", "as is", "as-is", "applicable law", "permission", "implied"),
    *("contributor", "endorse", "distribution", "disclaimer", "free software", "gnu "),
    *("merchantab", "fitness", "obtain a copy", "compliance", "confidential", "proprietary"),
)
_BANNER = ("generated", "g e n e r a t", "hand-edit", "source code form", "do not edit", "supervis")


def without_notices(text: str) -> str:
    """Returns comment text without its notices; its other lines stay as they are."""
    lowered = text.lower()
    if not _has(lowered, _MARKS):
        if not _has(lowered, _BANNER):
            return _joined(text.split("\n"), telling=False)
        return _joined(_without_known(text.split("\n")), telling=False)
    # The files of a repository begin with the same notice.
    return _noted(text) if len(text) <= _KEPT_CHARS else _without_notices(text)


def _without_notices(text: str) -> str:
    return _joined(_without_known(text.split("\n")), telling=True)


_KEPT_CHARS = 4000
"""A longer text with a notice is read anew each time it comes."""
_noted = lru_cache(maxsize=256)(_without_notices)


def _has(lowered: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110  half the time of `any`, and asked of every comment
        if mark in lowered:
            return True
    return False


def _joined(lines: list[str], *, telling: bool) -> str:
    """Returns lines as text, a blank line between paragraphs, those without words left out.

    Args:
        lines: of one comment.
        telling: whether telling words may stand in them, whose lines are left out too.
    """
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    parts = (_without_telling(part) if telling else part for part in paragraphs if part)
    kept = ("\n".join(part) for part in parts)
    return "\n\n".join(part for part in kept if part.strip()).strip()


@lru_cache(maxsize=1)
def _runs() -> frozenset[tuple[str, ...]]:
    text = (files("hdlgraph.knowledge") / DATA).read_text(encoding="utf-8")
    found: set[tuple[str, ...]] = set()
    for line in text.split("\n"):
        if not line.startswith("#"):
            words = _WORD.findall(line.lower())
            found.update(zip(*(words[start:] for start in range(RUN)), strict=False))
    return frozenset(found)


def _without_known(lines: list[str]) -> list[str]:
    """Returns the lines, those of a known notice blank, so that paragraphs do not join."""
    words = [(word, place) for place, line in enumerate(lines) for word in _words(line)]
    told = [word for word, _ in words]
    marked = [0] * len(words)
    for start, run in enumerate(zip(*(told[k:] for k in range(RUN)), strict=False)):
        if run in _runs():
            marked[start : start + RUN] = [1] * RUN
    legal, every = [0] * len(lines), [0] * len(lines)
    for (_, place), mark in zip(words, marked, strict=True):
        legal[place] += mark
        every[place] += 1
    return [
        "" if legal[place] and 2 * legal[place] >= every[place] else line
        for place, line in enumerate(lines)
    ]


def _words(line: str) -> list[str]:
    return _WORD.findall(line.lower())


def _without_telling(lines: list[str]) -> list[str]:
    lowered = "\n".join(lines).lower()
    if not _has(lowered, _MARKS):
        return lines
    marked = [i for i, line in enumerate(lines) if _LICENCE.search(line)]
    if not marked:
        return lines
    first, last = marked[0], marked[-1]
    # One remark such as "licence plate width" in a long text is no licence: need two, or the head.
    if len(marked) == 1 and first > 1 and not re.search(r"copyright|spdx", lines[first], re.I):
        return lines
    tail = lines[last + 1 :]
    if len(marked) > 1 and tail and not re.match(r"^\s*[A-Z@\\]", tail[0]):
        tail = tail[1:]
    return lines[:first] + tail
