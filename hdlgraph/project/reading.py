"""Reading source lines: `Project.read_lines`, for those who may see the indexed files alone."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.store.manifest import FileEntry

LINES = 400
"""Lines that are read at once where no end is named."""
CHARACTERS = 40_000
"""The most characters of one answer."""
PATH = 300
"""Characters of a path that is no file's by which others are found that are written alike."""
WIDE = 1_000
"""Longer lines are cut."""


class Reading(Repository):
    """The part of a project that shows source lines."""

    def read_lines(self, path: str, start: int = 1, end: int | None = None) -> dict[str, Any]:
        """Returns lines of an indexed file as they are now, by their numbers.

        Of an indexed document that is none, or another one now, it is what was extracted of it.

        No other file is read: not one beside the index, not one that a link leads to outside of
        the repository. Of an index that names its repository itself, and may come from a
        stranger, a file is read only with the content that was indexed.

        Args:
            path: as the index has it, relative to the root.
            start: the first line, from 1.
            end: the last line; None takes up to LINES.

        Raises:
            UsageError: the index has no such file, it cannot be read, or has no such line.
        """
        from hdlgraph.model.lines import lines_of
        from hdlgraph.results import Moved

        if start < 1 or (end is not None and end < start):
            why = "the first line is 1" if start < 1 else "the end lies before the start"
            raise UsageError(f"lines {start} to {end}: no such range; {why}")
        manifest = self.manifest()
        entry = manifest.files.get(path)
        if entry is not None:
            text, changed = self._text_of(path, entry)
        else:
            content, changed = self.document_text(path), False
            if content is None:
                raise UsageError(self._no_file(path, manifest.files))
            text = content
        lines = lines_of(text)
        if start > max(len(lines), 1):
            raise UsageError(f"{path}: has {len(lines)} lines, none from {start} on")
        chosen = _fitting(lines[start - 1 : end or start - 1 + LINES])
        last = start + len(chosen) - 1
        wanted = min(end or len(lines), len(lines))
        moved = Moved(changed=(path,)) if changed else Moved()
        return {
            "schema": 1,
            "path": path,
            "line": start,
            "end_line": last,
            "total_lines": len(lines),
            "lines": {str(start + n): line for n, line in enumerate(chosen)},
            "truncated": "" if last >= wanted else f"read on from line {last + 1}",
            "notes": list(self._note_on(moved)),
            "stale": moved.to_dict(),
        }

    def _text_of(self, path: str, entry: FileEntry) -> tuple[str, bool]:
        """Returns the text of a file of the index, and whether it changed since."""
        from hdlgraph.index.discover.texts import TextReader

        read = TextReader(self.root)
        text = read(path, entry.sha256) if entry.sha256 else ""
        changed = not text and bool(entry.size)
        if changed and self._own_root:
            text = read(path)
        if changed and not text:
            raise UsageError(
                f"{path}: changed or is gone since it was indexed, and cannot be read; "
                f"{self._remedy()}"
            )
        return text, changed

    def _no_file(self, path: str, known: Iterable[str]) -> str:
        """Returns why a path is not read, with those of the index that end like it."""
        name = path.rpartition("/")[2]
        known = sorted(known)
        file, _, lines = path.rpartition(":")
        if file in known:
            return f"{lines!r} is no line of {file}; write PATH, PATH:LINE or PATH:FIRST-LAST"
        alike = [one for one in known if name and one.rpartition("/")[2] == name][:3]
        alike = alike or difflib.get_close_matches(path[:PATH], known, 3, 0.8)
        if alike:
            return f"{path!r} is no file of the index; did you mean {', '.join(alike)}?"
        return (
            f"{path!r} is no file of the index; give a path as `search` does, relative to the "
            "repository"
        )


def _fitting(lines: list[str]) -> list[str]:
    """Returns the first lines, as many as fit an answer; those that are too long are cut."""
    kept: list[str] = []
    left = CHARACTERS
    for line in lines:
        cut = line if len(line) <= WIDE else line[:WIDE] + "…"
        left -= len(cut) + 1
        if left < 0 and kept:
            break
        kept.append(cut)
    return kept
