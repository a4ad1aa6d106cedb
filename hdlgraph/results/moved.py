"""Which files of a repository differ from what its index holds of them."""

from __future__ import annotations

from typing import Any

import msgspec

LISTED = 50
"""Paths of one kind that an answer lists of what moved since the index was made."""


class Moved(msgspec.Struct, frozen=True):
    """Which files of a repository differ from what the index holds of them; sorted paths.

    `unchecked` counts files of another time whose content was not compared, as there were too
    many of them; `root_missing` says that the whole repository is not there.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchecked: int = 0
    root_missing: bool = False

    @property
    def any(self) -> bool:
        """Returns whether the index is behind its repository, as far as that was looked at."""
        return bool(self.added or self.changed or self.removed or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object, at most LISTED paths of each kind in it."""
        kinds = {"added": self.added, "changed": self.changed, "removed": self.removed}
        listed: dict[str, Any] = {kind: list(paths[:LISTED]) for kind, paths in kinds.items()}
        more = sum(max(0, len(paths) - LISTED) for paths in kinds.values())
        return {**listed, "unchecked": self.unchecked, "more": more}

    def note(self, root: str) -> str:
        """Returns a sentence for people, "" where nothing moved."""
        if self.root_missing:
            return f"the repository {root} is not there; what is said of it is as it was indexed"
        moves = self.text()
        if not moves:
            return ""
        return f"the index is older than its files: {moves}; run `hdlgraph index {root}`"

    def text(self) -> str:
        """Returns which files moved, in words, "" where none did."""
        kinds = (("changed", self.changed), ("removed", self.removed), ("new", self.added))
        parts = [f"{len(paths)} {kind} ({_some(paths)})" for kind, paths in kinds if paths]
        if self.unchecked:
            parts.append(f"{self.unchecked} of another time, not compared")
        lines = "; lines of changed files are those of the index" if self.changed else ""
        return f"{', '.join(parts)}{lines}"


def _some(paths: tuple[str, ...]) -> str:
    return ", ".join(paths[:2]) + (", ..." if len(paths) > 2 else "")
