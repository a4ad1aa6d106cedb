"""The words of some files as columns, which can be merged without reading the files again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.index.lexical.tokens import FileTokens
from hdlgraph.store.words.segment import FILE_GAP, TEXT, Occurrences, Postings, Segment

BITS = 32
"""A term's number and a position make one integer, which sorts faster than the pair."""
LOW = (1 << BITS) - 1


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
        return starts_of(self.lengths)


def starts_of(lengths: np.ndarray) -> np.ndarray:
    """Returns the first position of each file of some lengths, and the end of the last."""
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
    for file, start in zip(files, starts_of(lengths).tolist(), strict=False):
        own = np.fromiter(map(numbers.__getitem__, file.vocab), np.int64, len(file.vocab))
        key = (own << BITS)[np.frombuffer(file.ids, np.uint32)]
        key += np.frombuffer(file.offsets, np.uint32)
        key += start
        parts.append(key)
        lines.append(np.frombuffer(file.line_starts, np.uint32))
    places = joined(parts, np.int64)
    parts.clear()
    places.sort()
    fields = {TEXT: _whole(places, lengths)}
    fields |= {name: _field(texts, numbers) for name, texts in bags.items()}
    counts = np.asarray([len(one) for one in lines], np.int64)
    positions = (places & LOW).astype(np.uint32)
    pointers = pointers_of(places, len(terms))
    return Block(terms, pointers, positions, lengths, joined(lines, np.uint32), counts, fields)


def _whole(places: np.ndarray, lengths: np.ndarray) -> Field:
    """Returns the postings of the whole text."""
    owner = np.repeat(np.arange(len(lengths), dtype=np.int32), np.diff(starts_of(lengths)))
    keys = (places & ~LOW) + owner[places & LOW]
    first, count = _runs(keys)
    return Field(keys[first], _clipped(count), lengths)


def _clipped(counts: np.ndarray) -> np.ndarray:
    return np.minimum(counts, 65535).astype(np.uint16)


def _field(texts: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> Field:
    lengths = np.asarray([len(bag) for bag in texts], np.int32)
    flat = [numbers[term] for bag in texts for term in bag]
    keys = np.asarray(flat, np.int64) << BITS
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


def joined(parts: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    """Returns arrays one behind the other, of a type where there is none."""
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
    terms <<= BITS
    terms += rows
    return terms


def renumbered(block: Block, number: np.ndarray, where: np.ndarray) -> dict[str, Field]:
    """Returns the fields of a block with other numbers of terms, and files in other places."""
    return {
        name: Field(
            (number[field.keys >> BITS] << BITS) + where[field.keys & LOW],
            field.frequencies,
            field.lengths,
        )
        for name, field in block.fields.items()
    }


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
        name: Postings(pointers_of(one.keys, size), one.keys & LOW, one.frequencies, one.lengths)
        for name, one in block.fields.items()
    }


def pointers_of(keys: np.ndarray, size: int) -> np.ndarray:
    """Returns for each of `size` terms, and after the last, its first row; `keys` are sorted."""
    edges = np.arange(size + 1, dtype=np.int64) << BITS
    return keys.searchsorted(edges).astype(np.int64)
