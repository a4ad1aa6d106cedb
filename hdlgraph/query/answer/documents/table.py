"""Writes a register as a table of its fields: line, bits, name, access, reset value, meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hdlgraph.query.answer.documents.fits import coverage
from hdlgraph.query.answer.documents.sentences import plain
from hdlgraph.store.design.registers import Field, Register

ROWS = 12
"""Fields of a register that are shown; of one with more, those that the question has words of."""
MEANING = 140
"""Characters of what a field means."""
HEAD = ("line", "bits", "field", "access", "reset", "meaning")


def head_of(register: Register, title: str) -> str:
    """Returns what a register is called and for, on one line."""
    parts = [f"{register.kind} {title}"]
    if register.offset >= 0:
        parts.append(f"offset 0x{register.offset:x}")
    if register.access:
        parts.append(register.access)
    if register.copies > 1:
        parts.append(f"{register.copies} of them")
    return ", ".join(parts)


def rows_of(register: Register, asked: Mapping[str, float]) -> list[str]:
    """Returns the table of a register's fields, its head first; nothing of one without any.

    Args:
        register: whose fields are told.
        asked: the question's words with their worth; of many fields those that have most of them
            are told.
    """
    chosen = _chosen(register.fields, asked)
    if not chosen:
        return []
    cells = [HEAD, *(_cells(one, register.access) for one in chosen)]
    wide = [max(len(row[n]) for row in cells) for n in range(len(HEAD) - 1)]
    lines = [_row(row, wide) for row in cells]
    left = len(register.fields) - len(chosen)
    return [*lines, f"  and {left} more field{'s' if left > 1 else ''}"] if left else lines


def _chosen(fields: Sequence[Field], asked: Mapping[str, float]) -> list[Field]:
    if len(fields) <= ROWS:
        return list(fields)
    worth = [coverage(asked, (one.name, one.text)) for one in fields]
    best = sorted(range(len(fields)), key=lambda n: (-worth[n], n))[:ROWS]
    return [fields[n] for n in sorted(best)]


def _cells(one: Field, access: str) -> tuple[str, ...]:
    bits = "-"
    if one.lsb >= 0:
        bits = f"{one.lsb + one.width - 1}:{one.lsb}" if one.width > 1 else str(one.lsb)
    meaning = " ".join(plain(line) for line in one.text.split("\n")).strip()
    if len(meaning) > MEANING:
        meaning = f"{meaning[: MEANING - 1].rpartition(' ')[0]}…"
    return str(one.line), bits, one.name, one.access or access or "-", one.reset or "-", meaning


def _row(cells: Sequence[str], wide: Sequence[int]) -> str:
    first = "  ".join(cell.ljust(width) for cell, width in zip(cells, wide, strict=False))
    return f"  {first}  {cells[-1]}".rstrip()
