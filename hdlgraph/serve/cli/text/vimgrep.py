"""Search results as lines that editors read: path:line:column:text, the best file first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from hdlgraph.model.lines import lines_of
from hdlgraph.results import Hit, SearchResult, SourceLine
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.volume import HERE


def show_matches(result: SearchResult, root: Path, read: Callable[[str], str]) -> None:
    """Prints the best lines of each file, as `rg --vimgrep` does; notes go to stderr.

    Args:
        result: what was found.
        root: the repository, for paths that the editor finds from the working directory.
        read: returns the text of a file.
    """
    for hit in result.hits:
        for line, column, text in matches(hit, read):
            put(f"{visible(_from_here(root, hit.path))}:{line}:{column}:{visible(text)}")
    for note in result.notes:
        say(f"hdlgraph: note: {note}")


def matches(hit: Hit, read: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    """Yields (line, column, text) of a hit; a hit without source lines has that of its place.

    The column is that of the first word of the question, in bytes from 1, as editors count.
    """
    if not hit.lines:
        yield hit.line, 1, " ".join(hit.summary.split())
        return
    lines = lines_of(read(hit.path))
    for source in hit.lines:
        whole = lines[source.line - 1] if 0 < source.line <= len(lines) else source.text
        yield source.line, _column(whole, source), whole.strip()


def _column(whole: str, source: SourceLine) -> int:
    """Returns the column of the first mark in the line as it stands in the file."""
    word = source.text[slice(*source.marks[0])] if source.marks else ""
    code = source.text.strip("…")
    begin = max(whole.find(code), 0)
    start = whole.find(word, begin) if word else -1
    at = start if start >= 0 else len(whole) - len(whole.lstrip())
    return len(whole[:at].encode("utf-8", "surrogateescape")) + 1


def _from_here(root: Path, path: str) -> str:
    """Returns the path of a file from the working directory; a whole one where that is outside."""
    here, full = (HERE.get() or Path.cwd()).resolve(), root / path
    if here.is_relative_to(root.resolve()):
        return os.path.relpath(full, here)
    return str(full)
