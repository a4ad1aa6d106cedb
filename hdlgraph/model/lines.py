"""The lines of a source text, as the index counts them."""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """Returns the lines of a text as all readers count them: a line ends with a line feed alone.

    A form feed, which old sources have between pages, ends none, nor does a carriage return alone
    unless there is no line feed at all.
    """
    lines = text.replace("\r\n" if "\n" in text else "\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
