"""The text of files under a root, decoded as the readers decode it."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.parsers.source import decode


class TextReader:
    """Called with a path relative to the root; "" where the file cannot be read."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, path: str) -> str:
        """Returns the text of a file."""
        try:
            return decode((self.root / path).read_bytes())[0]
        except OSError:
            return ""
