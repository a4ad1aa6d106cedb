"""The text of files under a root, decoded as the readers decode it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from hdlgraph.parsers.limits import SCAN_BYTES
from hdlgraph.parsers.text.source import decode
from hdlgraph.safety.safe_files import read_head, read_inside


class TextReader:
    """Called with a path relative to the root; "" where the file cannot or may not be read.

    Of a file larger than `SCAN_BYTES` it is the text of its first lines.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def __call__(self, path: str, sha256: str = "") -> str:
        """Returns the text of a file; with `sha256`, only that of a file with that content."""
        try:
            if not sha256:
                return decode(read_head(self.root, path, SCAN_BYTES)[0])[0]
            data = read_inside(self.root, path)
        except (OSError, ValueError):
            return ""
        return decode(data[:SCAN_BYTES])[0] if hashlib.sha256(data).hexdigest() == sha256 else ""
