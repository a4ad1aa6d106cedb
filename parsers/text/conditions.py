"""Writes conditions of generate blocks, as both readers do."""

from __future__ import annotations


def both(former: str, condition: str) -> str:
    """Returns a condition behind those that must hold with it, in brackets where it needs them.

    Args:
        former: what must hold as well, with the "&&" that joins it; "" for nothing.
        condition: as the source writes it.
    """
    if former and ("||" in condition or "?" in condition):
        return f"{former}({condition})"
    return former + condition
