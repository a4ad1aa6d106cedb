"""Reads the data files of this package: text with one entry a line, some in sections."""

from __future__ import annotations

from importlib.resources import files


def lines(name: str) -> list[str]:
    """Returns the lines of a data file, without comments and blank ones.

    Args:
        name: path of the file below this package, such as `thesaurus.txt`.
    """
    text = (files("hdlgraph.knowledge") / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def sections(name: str) -> dict[str, list[str]]:
    """Returns the lines of each section of a data file; `[title]` alone on a line begins one."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in lines(name):
        if line.startswith("[") and line.endswith("]"):
            title = line[1:-1]
            found[title] = []
        else:
            found.setdefault(title, []).append(line)
    return found


def pairs(rows: list[str], mark: str) -> dict[str, str]:
    """Returns what stands before the first `mark` of each row -> what stands after it."""
    cut = (row.partition(mark) for row in rows)
    return {left.strip(): right.strip() for left, _, right in cut}
