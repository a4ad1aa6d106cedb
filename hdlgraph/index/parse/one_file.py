"""One file through all parser layers; the per-file boundary where every failure is recorded."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec

from hdlgraph.errors import UnsafeFileError
from hdlgraph.model import FileRecord
from hdlgraph.parsers import limits
from hdlgraph.parsers.bound import bounded
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.stubs import Preparer
from hdlgraph.parsers.text.floor import floor_record
from hdlgraph.parsers.text.inventory import Inventory, take_inventory
from hdlgraph.safety.safe_files import SOURCE_BYTES, read_head

ALL, TREE_SITTER, TEXT = "all", "tree-sitter", "text"
NAMES = {ALL: "pyslang", TREE_SITTER: "tree-sitter", TEXT: "text reader"}
LEVELS = (ALL, TREE_SITTER, TEXT)
"""Readers from the strongest to the safest."""


class Extractor:
    """Reads files of one repository into records."""

    def __init__(
        self,
        root: Path,
        index: IncludeIndex,
        *,
        defines: tuple[str, ...] = (),
        deep_bytes: int = limits.DEEP_BYTES,
        witness: bool = True,
    ) -> None:
        self._root = root.resolve()
        self._deep_bytes = deep_bytes
        self._witness = witness
        self._preparer = Preparer(index, self._read, defines)

    def _read(self, path: str) -> bytes:
        return self._head(path)[0]

    def _head(self, path: str) -> tuple[bytes, int]:
        """Returns the bytes of a file that are read, and how many it has."""
        return read_head(self._root, path, max(self._deep_bytes, limits.SCAN_BYTES))

    def extract(
        self, path: str, sha256: str, role: str, *, level: str = ALL, reason: str = ""
    ) -> FileRecord:
        """Returns the record of a file; whatever goes wrong is in its `degraded`.

        Args:
            path: relative to the root.
            sha256: of the file's bytes, as discovered.
            role: as discovered.
            level: the strongest layer to try: "all", "tree-sitter" or "text".
            reason: why a weaker level than "all" was chosen.
        """
        try:
            data, size = self._head(path)
            if size > SOURCE_BYTES:
                raise UnsafeFileError(f"{size} bytes, more than {SOURCE_BYTES} are not read")
        except OSError as error:
            why = f"unreadable: {error.strerror or error}"
            return msgspec.structs.replace(
                take_inventory(path, b"", sha256=sha256, role=role).record, degraded=why
            )
        inventory = take_inventory(path, data, sha256=sha256, role=role)
        if len(data) < size:
            record = msgspec.structs.replace(inventory.record, size=size)
            inventory = dataclasses.replace(inventory, record=record)
        bound = self._bound(inventory, len(data), size)
        if bound:
            reason, level = "; ".join(filter(None, (reason, bound))), TEXT
        record, failed = self._deepest(inventory, level)
        record = bounded(record)
        reason = "; ".join(filter(None, (reason, *failed)))
        return msgspec.structs.replace(record, degraded=reason) if reason else record

    def _bound(self, inventory: Inventory, read: int, size: int) -> str:
        """Returns why a file is read as text only, or "" when it is not."""
        if inventory.record.encoding == "binary":
            return "binary content, read as text only"
        if size > self._deep_bytes:
            what = "" if read == size else f"the first {read} bytes "
            return f"{size} bytes exceed the limit of {self._deep_bytes}, {what}read as text only"
        return ""

    def _deepest(self, inventory: Inventory, level: str) -> tuple[FileRecord, list[str]]:
        """Returns the record of the strongest layer that works, and what failed before."""
        failed: list[str] = []
        for reader in LEVELS[LEVELS.index(level) :]:
            try:
                return self._by(reader, inventory), failed
            except Exception as error:  # the boundary of one file: recorded, never lost
                failed.append(f"{NAMES[reader]}: {type(error).__name__}: {error}"[:200])
        return inventory.record, failed

    def _by(self, level: str, inventory: Inventory) -> FileRecord:
        if level == ALL:
            from hdlgraph.parsers.merge import merged_record

            return merged_record(inventory, self._preparer, witness=self._witness)
        if level == TREE_SITTER:
            from hdlgraph.parsers.merge import tree_sitter_record

            return tree_sitter_record(inventory, witness=self._witness)
        return floor_record(inventory)
