"""Computes the lexical index: postings and positions of all terms, BM25 fields, abbreviations.

`hdlgraph.store.lexical` says what of it stands on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.index.explain.by_rules.evidence.repeats import introduction
from hdlgraph.index.lexical.fields import FIELDS, declared_places, field_terms, field_texts
from hdlgraph.index.lexical.mine_abbreviations import mine_abbreviations
from hdlgraph.index.lexical.tokens import FileTokens, tokenise
from hdlgraph.index.memory import decoded
from hdlgraph.index.request import terms_digest
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store import lexical
from hdlgraph.store.cache import Cache
from hdlgraph.store.lexical import FILE_GAP, TEXT, FileRow, Occurrences, Postings

_POSITION_BITS = 32
"""A term's number and a position make one integer, which sorts faster than the pair."""


def file_tokens(
    records: Sequence[FileRecord], read_text: Callable[[str], str], cache: Cache | None
) -> list[FileTokens]:
    """Returns the tokens of each record's file, from the cache where the content is known."""
    how = terms_digest()
    keys = [f"{how}:{r.path}:{r.sha256}" for r in records]
    known = decoded(cache, "tokens", keys, msgspec.msgpack.Decoder(FileTokens).decode)
    out, fresh = [], {}
    for record, key in zip(records, keys, strict=True):
        tokens = known.get(key)
        if tokens is None:
            tokens = tokenise(record.path, read_text(record.path))
            fresh[key] = msgspec.msgpack.encode(tokens)
        out.append(tokens)
    if cache and fresh:
        cache.put_many("tokens", fresh)
    return out


def build_lexical(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    read_text: Callable[[str], str],
    cache: Cache | None,
    generation: Path,
    projects: Projects = (),
) -> None:
    """Writes the lexical index of `records` (sorted by path) into a generation's folder.

    Args:
        records: facts of all files, sorted by path.
        explanations: explanation of each path.
        read_text: gives a file's decoded text ("" where it cannot be read).
        cache: object with get_many/put_many(namespace, ...) or None.
        generation: the generation's folder.
        projects: the project tables in force.
    """
    out = lexical.make_folder(generation)
    tokens = file_tokens(records, read_text, cache)
    bags = {name: field_terms(field_texts(name, records, explanations), cache) for name in FIELDS}
    vocabulary = _vocabulary(tokens, bags)
    written = {p for p, e in explanations.items() if e.model != "deterministic"}
    rows = [
        FileRow(r.path, r.role, r.n_lines, r.path in written, bool(introduction(r)))
        for r in records
    ]
    lexical.write_files(out, rows)
    told = (explanations.get(r.path) for r in records)
    lexical.write_summaries(out, [e.sentence() if e else "" for e in told])
    lexical.write_vocabulary(out, list(vocabulary))
    _write_text(out, tokens, vocabulary)
    for name, texts in bags.items():
        _write_field(out, name, texts, vocabulary)
    lexical.write_names(out, declared_places(records))
    lexical.write_abbreviations(out, mine_abbreviations(tokens, projects))


def _vocabulary(tokens: Sequence[FileTokens], bags: dict[str, list[list[str]]]) -> dict[str, int]:
    seen: set[str] = set()
    for file in tokens:
        seen.update(file.vocab)
    for texts in bags.values():
        for bag in texts:
            seen.update(bag)
    return {term: number for number, term in enumerate(sorted(seen))}


def _write_text(out: Path, tokens: Sequence[FileTokens], vocabulary: dict[str, int]) -> None:
    """Writes the positions of all terms, and the postings of the whole text."""
    lengths = np.asarray([file.length for file in tokens], np.int32)
    steps = lengths.astype(np.int64) + FILE_GAP
    file_start = np.concatenate(([0], np.cumsum(steps)))
    key_parts, line_parts, line_pointers = [], [], [0]
    for file, start in zip(tokens, file_start.tolist(), strict=False):
        numbers = np.fromiter(map(vocabulary.__getitem__, file.vocab), np.int64, len(file.vocab))
        key = (numbers << _POSITION_BITS)[np.frombuffer(file.ids, np.uint32)]
        key += np.frombuffer(file.offsets, np.uint32)
        key += start
        key_parts.append(key)
        lines = np.frombuffer(file.line_starts, np.uint32).astype(np.int64) + start
        line_parts.append(lines)
        line_pointers.append(line_pointers[-1] + len(lines))
    keys = _joined(key_parts, np.int64)
    key_parts.clear()
    keys.sort()
    term = (keys >> _POSITION_BITS).astype(np.int32)
    position = np.bitwise_and(keys, (1 << _POSITION_BITS) - 1, out=keys)
    document = np.repeat(np.arange(len(tokens), dtype=np.int32), steps)[position]
    occurrences = Occurrences(
        pointers=_pointers(term, len(vocabulary)),
        positions=position,
        file_start=file_start,
        line_pointers=np.asarray(line_pointers, np.int64),
        line_starts=_joined(line_parts, np.int64),
    )
    lexical.write_occurrences(out, occurrences)
    lexical.write_postings(out, TEXT, _postings(term, document, lengths, len(vocabulary)))


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _pointers(term: np.ndarray, size: int) -> np.ndarray:
    """Returns for each of `size` terms, and after the last, its first row; `term` is sorted."""
    return np.concatenate(([0], np.cumsum(np.bincount(term, minlength=size)))).astype(np.int64)


def _postings(term: np.ndarray, document: np.ndarray, lengths: np.ndarray, size: int) -> Postings:
    """Returns (document, frequency) per term; `term` and, within it, `document` are sorted."""
    if len(term):
        edge = np.flatnonzero((np.diff(term) != 0) | (np.diff(document) != 0)) + 1
        first = np.concatenate(([0], edge))
        count = np.diff(np.concatenate((first, [len(term)])))
        term, document = term[first], document[first]
    else:
        count = np.zeros(0, np.int64)
    return Postings(_pointers(term, size), document, count, lengths)


def _write_field(out: Path, name: str, texts: list[list[str]], vocabulary: dict[str, int]) -> None:
    lengths = np.asarray([len(bag) for bag in texts], np.int32)
    flat = [vocabulary[t] for bag in texts for t in bag]
    term = np.asarray(flat, np.int32)
    document = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
    order = np.lexsort((document, term))
    found = _postings(term[order], document[order], lengths, len(vocabulary))
    lexical.write_postings(out, name, found)
