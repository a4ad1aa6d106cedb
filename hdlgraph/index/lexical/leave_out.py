"""Takes the words of some files out of a block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hdlgraph.index.lexical.block import LOW, Block, Field, pointers_of, renumbered, starts_of
from hdlgraph.index.lexical.shift import move, of_files

MANY = 4000
"""Up to so many positions are taken out one by one."""


def kept(block: Block, files: np.ndarray) -> Block:
    """Returns a block without some files; `files`, bool (n,), has those that stay.

    Terms that no file has any more are gone as well.
    """
    number = np.cumsum(files) - 1
    starts = block.starts
    left = of_files(files, starts, block.positions)
    gone = np.flatnonzero(~left)
    pointers = block.pointers - gone.searchsorted(block.pointers)
    positions = _without(block.positions, left, gone)
    move(positions, starts, starts_of(block.lengths[files])[number] - starts[:-1])
    fields = {}
    for name, field in block.fields.items():
        stays = files[field.keys & LOW]
        keys = field.keys[stays]
        keys = (keys & ~LOW) + number[keys & LOW]
        fields[name] = Field(keys, field.frequencies[stays], field.lengths[files])
    rows = np.repeat(files, block.line_counts)
    lines, counts = block.lines[rows], block.line_counts[files]
    lengths = block.lengths[files]
    return _without_idle(Block(block.terms, pointers, positions, lengths, lines, counts, fields))


def _without(positions: np.ndarray, left: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Returns the positions that are left.

    Args:
        positions: all.
        left: which ones are left, bool.
        gone: the rows of the others.
    """
    if len(gone) > MANY:
        return positions[left]
    # A mask of all takes several times as long as copying what lies between the few.
    found = np.empty(len(positions) - len(gone), positions.dtype)
    begin = 0
    for count, row in enumerate([*gone.tolist(), len(positions)]):
        found[begin - count : row - count] = positions[begin:row]
        begin = row + 1
    return found


def _without_idle(block: Block) -> Block:
    used = np.zeros(len(block.terms), bool)
    for field in block.fields.values():
        used |= np.diff(pointers_of(field.keys, len(used))) > 0
    if used.all():
        return block
    number = np.cumsum(used) - 1
    pointers = np.append(block.pointers[:-1][used], block.pointers[-1])
    terms = [term for term, is_used in zip(block.terms, used.tolist(), strict=True) if is_used]
    fields = renumbered(block, number, np.arange(len(block.lengths)))
    return replace(block, terms=terms, pointers=pointers, fields=fields)
