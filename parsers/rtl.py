"""The reader of Verilog and SystemVerilog: by pyslang, else tree-sitter, else from the text."""

from __future__ import annotations

import dataclasses

import msgspec

from hdlgraph.model import FileRecord
from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.parsers.operations.find import with_operations
from hdlgraph.parsers.operations.technology_maps import with_cells
from hdlgraph.parsers.reader import WHOLE, Read, Reader, Repository, Source
from hdlgraph.parsers.stubs import Preparer
from hdlgraph.parsers.text.fallback import floor_record
from hdlgraph.parsers.text.inventory import Inventory, take_inventory

TREE_SITTER, TEXT = "tree-sitter", "text"


class RtlReader(Reader):
    """Reads Verilog and SystemVerilog."""

    name = "rtl"
    suffixes = RTL_SUFFIXES
    levels = {WHOLE: "pyslang", TREE_SITTER: "tree-sitter", TEXT: "text reader"}
    libraries = ("pyslang", "tree-sitter-systemverilog", "pyverilog")
    is_listed = True

    def language_of(self, path: str) -> str:
        """Returns `systemverilog` or `verilog`, by the suffix."""
        return "systemverilog" if path.endswith((".sv", ".svh")) else "verilog"

    def open(self, repository: Repository) -> Read:
        """Returns the function that reads files of a repository."""
        return _Files(repository).read

    def bare(self, source: Source) -> FileRecord:
        """Returns what the text alone tells of a file."""
        return take_inventory(
            source.path, source.data, sha256=source.sha256, role=source.role
        ).record


class _Files:
    """The files of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._deep_bytes = repository.deep_bytes
        self._witness = repository.witness
        self._preparer = Preparer(
            repository.includes, repository.read, repository.defines, repository.borrowed
        )

    def read(self, source: Source, level: str) -> FileRecord:
        """Returns the record of a file, read at a level or at the weaker one that it allows."""
        inventory = take_inventory(source.path, source.data, sha256=source.sha256, role=source.role)
        if len(source.data) < source.size:
            record = msgspec.structs.replace(inventory.record, size=source.size)
            inventory = dataclasses.replace(inventory, record=record)
        why = self._why_text(source, inventory)
        record = with_operations(self._by(TEXT if why else level, inventory), inventory)
        record = with_cells(record, inventory)
        if record.encoding == "binary" and not record.units:
            # A byte that reads as a backtick is no use of a macro.
            record = msgspec.structs.replace(record, macro_uses=())
        return msgspec.structs.replace(record, degraded=why) if why else record

    def _why_text(self, source: Source, inventory: Inventory) -> str:
        """Returns why a file is read as text only, or "" when it is not."""
        if inventory.record.encoding == "binary":
            return "binary content, read as text only"
        if source.size > self._deep_bytes:
            read = len(source.data)
            what = "" if read == source.size else f"the first {read} bytes "
            limit = f"{source.size} bytes exceed the limit of {self._deep_bytes}"
            return f"{limit}, {what}read as text only"
        return ""

    def _by(self, level: str, inventory: Inventory) -> FileRecord:
        if level == WHOLE:
            from hdlgraph.parsers.merge import merged_record

            return merged_record(inventory, self._preparer, witness=self._witness)
        if level == TREE_SITTER:
            from hdlgraph.parsers.merge import tree_sitter_record

            return tree_sitter_record(inventory, witness=self._witness)
        return floor_record(inventory)
