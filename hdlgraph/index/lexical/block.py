"""The words of some files as columns, which can be merged without reading the files again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hdlgraph.index.lexical.tokens import FileTokens
from hdlgraph.store.words.segment import FILE_GAP, TEXT, Occurrences, Postings, Segment

_BITS = 32
"""A term's number and a position make one integer, which sorts faster than the pair."""
_LOW = (1 << _BITS) - 1
FEW, MANY = 16, 4000
"""Up to FEW neighbouring files of another value are compared one by one, and the positions of up to
MANY terms are put between others one by one; up to MANY positions are taken out so."""


@dataclass(frozen=True, slots=True)
class Field:
    """Postings as keys, sorted: a term's number shifted by 32 bits, and a file's number."""

    keys: np.ndarray
    frequencies: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True, slots=True)
class Block:
    """The words of some files, in the order of their paths.

    `positions` are those of all terms, as a segment counts them: of each term sorted, and where
    those of a term begin, and the last ends, say the `pointers`. All occurrences of a repository
    are many, so they are held as small as they are stored. `lines` has the positions of lines from
    each file's first one, `line_counts` how many each file has; `lengths` the terms of each file;
    `fields` all fields, of which TEXT is the whole text: to count its postings in the positions of
    all files takes as long as the rest.
    """

    terms: list[str]
    pointers: np.ndarray
    positions: np.ndarray
    lengths: np.ndarray
    lines: np.ndarray
    line_counts: np.ndarray
    fields: dict[str, Field]

    @property
    def starts(self) -> np.ndarray:
        """Returns the first position of each file, and the end of the last, int64 (n + 1,)."""
        return _starts(self.lengths)


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths.astype(np.int64) + FILE_GAP))).astype(np.int64)


def block_of(files: Iterable[FileTokens], bags: Mapping[str, Sequence[Sequence[str]]]) -> Block:
    """Returns the words of files; `bags` has the terms of each file in each field.

    The files are looked at twice, so that their terms need not be held all at once.
    """
    seen: set[str] = set()
    sizes = []
    for file in files:
        seen.update(file.vocab)
        sizes.append(file.length)
    for texts in bags.values():
        for bag in texts:
            seen.update(bag)
    terms = sorted(seen)
    numbers = {term: number for number, term in enumerate(terms)}
    lengths = np.asarray(sizes, np.int32)
    parts, lines = [], []
    for file, start in zip(files, _starts(lengths).tolist(), strict=False):
        own = np.fromiter(map(numbers.__getitem__, file.vocab), np.int64, len(file.vocab))
        key = (own << _BITS)[np.frombuffer(file.ids, np.uint32)]
        key += np.frombuffer(file.offsets, np.uint32)
        key += start
        parts.append(key)
        lines.append(np.frombuffer(file.line_starts, np.uint32))
    places = _joined(parts, np.int64)
    parts.clear()
    places.sort()
    fields = {TEXT: _whole(places, lengths)}
    fields |= {name: _field(texts, numbers) for name, texts in bags.items()}
    counts = np.asarray([len(one) for one in lines], np.int64)
    positions = (places & _LOW).astype(np.uint32)
    pointers = _pointers(places, len(terms))
    return Block(terms, pointers, positions, lengths, _joined(lines, np.uint32), counts, fields)


def _whole(places: np.ndarray, lengths: np.ndarray) -> Field:
    """Returns the postings of the whole text."""
    owner = np.repeat(np.arange(len(lengths), dtype=np.int32), np.diff(_starts(lengths)))
    keys = (places & ~_LOW) + owner[places & _LOW]
    first, count = _runs(keys)
    return Field(keys[first], _clipped(count), lengths)


def _clipped(counts: np.ndarray) -> np.ndarray:
    return np.minimum(counts, 65535).astype(np.uint16)


def _field(texts: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> Field:
    lengths = np.asarray([len(bag) for bag in texts], np.int32)
    flat = [numbers[term] for bag in texts for term in bag]
    keys = np.asarray(flat, np.int64) << _BITS
    keys += np.repeat(np.arange(len(texts), dtype=np.int64), lengths)
    keys.sort()
    first, count = _runs(keys)
    return Field(keys[first], _clipped(count), lengths)


def _runs(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the first row of each run of equal keys, and how long it is."""
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    first = np.concatenate(([0], np.flatnonzero(np.diff(keys)) + 1))
    return first, np.diff(np.concatenate((first, [len(keys)])))


def _joined(parts: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def block_from(segment: Segment) -> Block:
    """Returns the words that a segment holds."""
    found = segment.occurrences
    lengths = np.array(segment.postings(TEXT).lengths)
    counts = np.diff(found.line_pointers)
    firsts = np.repeat(np.asarray(found.file_start[:-1]), counts)
    fields = {}
    for name in (TEXT, "declared", "incoming", "explanation"):
        own = segment.postings(name)
        keys = _with_terms(own.pointers, own.documents)
        fields[name] = Field(keys, np.array(own.frequencies), np.array(own.lengths))
    return Block(
        terms=segment.vocabulary.terms(),
        pointers=np.asarray(found.pointers),
        positions=found.positions,
        lengths=lengths,
        lines=(found.line_starts - firsts).astype(np.uint32),
        line_counts=counts,
        fields=fields,
    )


def _with_terms(pointers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Returns keys of rows that are sorted by term."""
    terms = np.repeat(np.arange(len(pointers) - 1, dtype=np.int64), np.diff(pointers))
    terms <<= _BITS
    terms += rows
    return terms


def kept(block: Block, files: np.ndarray) -> Block:
    """Returns a block without some files; `files`, bool (n,), has those that stay.

    Terms that no file has any more are gone as well.
    """
    number = np.cumsum(files) - 1
    starts = block.starts
    left = _of_files(files, starts, block.positions)
    gone = np.flatnonzero(~left)
    pointers = block.pointers - gone.searchsorted(block.pointers)
    positions = _without(block.positions, left, gone)
    _move(positions, starts, _starts(block.lengths[files])[number] - starts[:-1])
    fields = {}
    for name, field in block.fields.items():
        stays = files[field.keys & _LOW]
        keys = field.keys[stays]
        keys = (keys & ~_LOW) + number[keys & _LOW]
        fields[name] = Field(keys, field.frequencies[stays], field.lengths[files])
    rows = np.repeat(files, block.line_counts)
    lines, counts = block.lines[rows], block.line_counts[files]
    lengths = block.lengths[files]
    return _without_idle(Block(block.terms, pointers, positions, lengths, lines, counts, fields))


def _of_files(values: np.ndarray, starts: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Returns for each position the value of the file that it lies in.

    Neighbours of one value count as one file: after an edit there are few of them, and two or
    three comparisons are much faster than a table of all positions.

    Args:
        values: of the files.
        starts: the first position of each file, and the end of the last.
        positions: to look up.
    """
    first = _changes(values)
    if len(first) > FEW:
        return values[first][starts[first[1:]].searchsorted(positions, "right")]
    found = np.full(len(positions), values[0] if len(values) else 0, values.dtype)
    for at in first[1:].tolist():
        behind = positions >= int(starts[at])
        if values.dtype == bool:  # of two values each change is from one to the other
            np.logical_xor(found, behind, out=found)
        else:
            found[behind] = values[at]
    return found


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


def _move(positions: np.ndarray, starts: np.ndarray, shift: np.ndarray) -> None:
    """Moves positions, in place, by the shift of the file of each."""
    first = _changes(shift)
    if len(first) > FEW:
        positions += _of_files(shift, starts, positions).astype(np.uint32)
        return
    before, was = 0, positions
    if sum(map(bool, np.diff(shift[first], prepend=0).tolist())) > 1:
        was = positions.copy()  # what has moved once may lie in another file
    for at in first.tolist():
        if more := int(shift[at]) - before:
            # Unsigned numbers wrap around, so that this moves back as well. A product takes a
            # sixth of the time of an addition `where` they are moved.
            np.add(positions, (was >= int(starts[at])) * np.uint32(more & _LOW), out=positions)
        before = int(shift[at])


def _changes(values: np.ndarray) -> np.ndarray:
    """Returns the rows that differ from the row before, the first one among them."""
    if not len(values):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))


def _without_idle(block: Block) -> Block:
    used = np.zeros(len(block.terms), bool)
    for field in block.fields.values():
        used |= np.diff(_pointers(field.keys, len(used))) > 0
    if used.all():
        return block
    number = np.cumsum(used) - 1
    pointers = np.append(block.pointers[:-1][used], block.pointers[-1])
    terms = [term for term, is_used in zip(block.terms, used.tolist(), strict=True) if is_used]
    fields = _renumbered(block, number, np.arange(len(block.lengths)))
    return replace(block, terms=terms, pointers=pointers, fields=fields)


def merged(left: Block, right: Block, order: np.ndarray) -> Block:
    """Returns two blocks as one.

    Args:
        left: a block of a files.
        right: a block of b files.
        order: (a + b,) the files in the order of their paths: those of `left` are 0 to a - 1,
            those of `right` follow.
    """
    terms, *numbers = _union(left.terms, right.terms)
    place = np.argsort(order)
    lengths = np.concatenate((left.lengths, right.lengths))[order]
    starts = _starts(lengths)
    places = (place[: len(left.lengths)], place[len(left.lengths) :])
    both = tuple(zip((left, right), numbers, places, strict=True))
    for one, _, where in both:
        _move(one.positions, one.starts, starts[where] - one.starts[:-1])
    pointers, positions = _sorted(left, right, numbers, len(terms))
    first, second = (_renumbered(one, own, where) for one, own, where in both)
    fields = {name: _both(first[name], second[name], order) for name in left.fields}
    counts = np.concatenate((left.line_counts, right.line_counts))
    begins = np.concatenate(([0], np.cumsum(counts)))[:-1]
    rows = _ranges(begins[order], counts[order])
    lines = np.concatenate((left.lines, right.lines))[rows]
    return Block(terms, pointers, positions, lengths, lines, counts[order], fields)


def _union(left: list[str], right: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Returns the terms of two sorted lists, sorted, and their new numbers; `right` is short."""
    rows = [bisect_left(left, term) for term in right]
    is_new = np.asarray(
        [left[row : row + 1] != [term] for row, term in zip(rows, right, strict=True)], bool
    )
    at = np.asarray(rows, np.int64)
    terms, begin = [], 0
    for number in np.flatnonzero(is_new).tolist():
        terms += left[begin : rows[number]]
        terms.append(right[number])
        begin = rows[number]
    terms += left[begin:]
    own = np.arange(len(left))
    return terms, own + at[is_new].searchsorted(own, "right"), at + np.cumsum(is_new) - is_new


def _renumbered(block: Block, number: np.ndarray, where: np.ndarray) -> dict[str, Field]:
    """Returns the fields of a block with other numbers of terms, and files in other places."""
    return {
        name: Field(
            (number[field.keys >> _BITS] << _BITS) + where[field.keys & _LOW],
            field.frequencies,
            field.lengths,
        )
        for name, field in block.fields.items()
    }


def _sorted(
    left: Block, right: Block, numbers: Sequence[np.ndarray], size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pointers and positions of two blocks together.

    Args:
        left: a block.
        right: another one.
        numbers: the numbers of the terms of each among all terms.
        size: how many terms there are.
    """
    often = np.zeros(size, np.int64)
    for one, own in zip((left, right), numbers, strict=True):
        often[own] += np.diff(one.pointers)
    pointers = np.concatenate(([0], np.cumsum(often)))
    if len(right.terms) > MANY:
        keys = [
            (np.repeat(own, np.diff(one.pointers)) << _BITS) + one.positions
            for one, own in zip((left, right), numbers, strict=True)
        ]
        found = np.concatenate(keys)
        found.sort(kind="stable")  # takes one pass over two sorted runs
        return pointers, (found & _LOW).astype(np.uint32)
    ends = np.zeros(size + 1, np.int64)
    ends[numbers[0] + 1] = np.diff(left.pointers)
    ends = np.cumsum(ends).tolist()  # in `left`
    rows = []
    for term, (begin, end) in zip(
        numbers[1].tolist(), pairwise(right.pointers.tolist()), strict=True
    ):
        held = left.positions[ends[term] : ends[term + 1]]
        rows.append(held.searchsorted(right.positions[begin:end]) + ends[term])
    return pointers, np.insert(left.positions, _joined(rows, np.int64), right.positions)


def _both(left: Field, right: Field, order: np.ndarray) -> Field:
    keys = np.concatenate((left.keys, right.keys))
    rows = np.argsort(keys, kind="stable")
    often = np.concatenate((left.frequencies, right.frequencies))
    lengths = np.concatenate((left.lengths, right.lengths))
    return Field(keys[rows], often[rows], lengths[order])


def _ranges(begins: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Returns begin, begin + 1, ... of each range, one after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(begins - ends + counts, counts)


def occurrences_of(block: Block) -> Occurrences:
    """Returns the positions of a block as a segment holds them."""
    starts, counts = block.starts, block.line_counts
    firsts = np.repeat(starts[:-1], counts)
    return Occurrences(
        pointers=block.pointers,
        positions=block.positions,
        file_start=starts,
        line_pointers=np.concatenate(([0], np.cumsum(counts))),
        line_starts=block.lines + firsts,
    )


def postings_of(block: Block) -> dict[str, Postings]:
    """Returns the postings of a block's fields as a segment holds them."""
    size = len(block.terms)
    return {
        name: Postings(_pointers(one.keys, size), one.keys & _LOW, one.frequencies, one.lengths)
        for name, one in block.fields.items()
    }


def _pointers(keys: np.ndarray, size: int) -> np.ndarray:
    """Returns for each of `size` terms, and after the last, its first row; `keys` are sorted."""
    edges = np.arange(size + 1, dtype=np.int64) << _BITS
    return keys.searchsorted(edges).astype(np.int64)
