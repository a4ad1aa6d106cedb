"""Writes the chosen lines of a file for a model: each after its number, gaps as dots."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hdlgraph.llm.quote import quoted
from hdlgraph.query.answer.source_text import MAX_LINE

MARK = "material"
"""Name of the marks around the material in the prompt."""
GAP = "..."
_CHAT_TOKEN = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,40}[|｜]>|/?s>|<?/?SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])", re.I
)


def shown_line(number: int, text: str) -> str:
    """Returns a line after its number, without trailing blanks and cut at MAX_LINE."""
    plain = text.expandtabs(4).rstrip()
    return f"{number}| {plain if len(plain) <= MAX_LINE else plain[: MAX_LINE - 1] + '…'}"


def shown_lines(lines: list[str], numbers: Iterable[int]) -> str:
    """Returns lines of a file by number; dots stand where lines that are not blank are left out.

    Args:
        lines: all lines of the file.
        numbers: those to show, from 1.
    """
    out: list[str] = []
    before = 0
    for number in sorted(numbers):
        if before and any(lines[n - 1].strip() for n in range(before + 1, number)):
            out.append(GAP)
        out.append(shown_line(number, lines[number - 1]))
        before = number
    return "\n".join(out)


def safe(text: str) -> str:
    """Returns text that closes no marks and holds no chat template's own tokens."""
    return _CHAT_TOKEN.sub(lambda found: found[0] + "\u00b7", quoted(text, MARK))
