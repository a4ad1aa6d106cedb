"""How front ends name an index: by a folder, or by the address of a shared one."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.store.shared.address import is_address, read_address

__all__ = ["is_address", "whole_name"]


def whole_name(index: Path | str) -> str:
    """Returns how an index is named from any folder.

    Raises:
        UsageError: it looks like an address and is none.
    """
    return str(read_address(index) if is_address(index) else Path(index).resolve())
