"""Adds the lines of testbenches to a page, each statement as far as what it is shown for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from hdlgraph.model import Location
from hdlgraph.query.answer.facts.page import FactPage

MAX_STATEMENTS = 14  # statements of an answer
LONG = 5  # lines of a statement that are looked through
_WORD = re.compile(r"(?<![\w.$])[A-Za-z_]\w*(?![\w$])")


class Statement(NamedTuple):
    """A sentence, the line that says so, and the words by which its statement is known."""

    text: str
    path: str
    line: int
    words: tuple[str, ...] = ()


def words_of(question: str) -> list[str]:
    """Returns the words of a question that may be names, each once."""
    return list(dict.fromkeys(_WORD.findall(question)))


def add_statements(
    page: FactPage, head: str, statements: Iterable[Statement], moved: Collection[str], all_: str
) -> bool:
    """Adds sentences with their lines below a head; False where none is left that still stands.

    Args:
        page: the answer.
        head: the line above them.
        statements: the sentences.
        moved: files that changed since they were indexed.
        all_: the command that lists all.
    """
    standing = [(one, list(_statement(page, one))) for one in statements if one.path not in moved]
    found = [(one, lines) for one, lines in standing if lines or not page.source(one.path).text]
    if not found:
        return False
    page.add(head)
    for one, lines in found[:MAX_STATEMENTS]:
        if not lines:  # a list of tests, of which the index has no text
            page.add(f"- {one.text} ({Location(one.path, one.line)})")
            continue
        page.add(f"- {one.text}")
        page.code(one.path, page.source(one.path), lines)
    if len(found) > MAX_STATEMENTS:
        page.add(f"- and {len(found) - MAX_STATEMENTS} more: `hdlgraph {all_}` lists all")
    page.add()
    return True


def _statement(page: FactPage, one: Statement) -> Iterator[int]:
    """Yields the lines of a statement up to that with the last of its words; none without one."""
    lines = page.source(one.path).lines
    left = set(one.words)
    kept: list[int] = []
    for number in range(one.line, min(one.line + LONG, len(lines) + 1)):
        kept.append(number)
        left -= set(re.findall(r"\w+", lines[number - 1]))
        if not left:
            yield from kept
            return
        if ";" in lines[number - 1].partition("//")[0]:
            break
