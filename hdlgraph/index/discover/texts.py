"""The text of files under a root, decoded as the readers decode it."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from pathlib import Path

from hdlgraph.parsers.limits import SCAN_BYTES
from hdlgraph.parsers.text.source import decode
from hdlgraph.safety.safe_files import read_head, read_inside

KEPT_CHARACTERS = 8_000_000
"""Characters of texts that are kept, all together."""
SETTLED_NS = 1_000_000_000
"""A file written since may be written once more without a change of its time: it is not kept."""


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


class KeptTexts(TextReader):
    """A reader that keeps the last texts, each as long as its file is the same."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._known: OrderedDict[tuple[str, str], tuple[tuple[int, ...], str]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def __call__(self, path: str, sha256: str = "") -> str:
        """Returns what `TextReader` does."""
        state, key = self._state(path), (path, sha256)
        with self._lock:
            known = self._known.get(key)
            if known is not None and known[0] == state:
                self._known.move_to_end(key)
                return known[1]
        text = super().__call__(path, sha256)
        if state and time.time_ns() - max(state[-2:]) > SETTLED_NS:
            self._keep(key, state, text)
        return text

    def _state(self, path: str) -> tuple[int, ...]:
        """Returns what distinguishes a file, and what stands in it, from any other; () of none."""
        try:
            one = os.stat(f"{self.root}/{path}")  # noqa: PTH116 (a fifth of the time)
        except (OSError, ValueError):
            return ()
        return one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns

    def _keep(self, key: tuple[str, str], state: tuple[int, ...], text: str) -> None:
        with self._lock:
            former = self._known.pop(key, None)
            self._characters += len(text) - (len(former[1]) if former else 0)
            self._known[key] = state, text
            while self._characters > KEPT_CHARACTERS:
                self._characters -= len(self._known.popitem(last=False)[1][1])
