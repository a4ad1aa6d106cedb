"""The text of files under a root, decoded as the readers decode it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from hdlgraph.parsers.source import decode
from hdlgraph.safe_files import read_inside


class TextReader:
    """Called with a path relative to the root; "" where the file cannot be read."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, path: str, sha256: str = "") -> str:
        """Returns the text of a file; with `sha256`, only that of a file with that content."""
        try:
            data = read_inside(self.root, path)
        except OSError:
            return ""
        if sha256 and hashlib.sha256(data).hexdigest() != sha256:
            return ""
        return decode(data)[0]
