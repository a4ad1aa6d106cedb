"""Writes the lexical index: postings and positions of all terms, BM25 fields, abbreviations.

Layout of the folder (numpy arrays, memory-mapped by `hdlgraph.query.features.lexical`); n = files,
t = terms, p = postings, o = occurrences:

    paths.json       n x [path, role, lines, 1 if its explanation was written by a model or person]
    vocab.txt        t terms, sorted, one a line
    post_ptr.npy     int64 (t+1)                post_doc/tf    int32/uint16 (p,)
    occ_ptr.npy      int64 (t+1)                occ_pos.npy    uint32 (o,) global positions, sorted
    file_start.npy   int64 (n+1) first position of each file; files are FILE_GAP apart
    line_ptr.npy     int64 (n+1)                line_pos.npy   uint32 first position of each line
    NAME.ptr/doc/tf/len.npy                     bag-of-words fields over the same vocabulary
    names.msgpack    lower-case declared name or file name -> [(file, line, kind, name), ...]
    abbreviations.json                          mined word -> [[fragment, probability]]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.index.lexical.fields import FIELDS, declared_places, field_terms, field_texts
from hdlgraph.index.lexical.mine_abbreviations import mine_abbreviations
from hdlgraph.index.lexical.tokens import FileTokens, tokenise
from hdlgraph.index.request import terms_digest
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.cache import Cache

FILE_GAP = 16  # positions between files, so that no phrase spans two


def file_tokens(
    records: Sequence[FileRecord], read_text: Callable[[str], str], cache: Cache | None
) -> list[FileTokens]:
    """Returns the tokens of each record's file, from the cache where the content is known."""
    how = terms_digest()
    keys = [f"{how}:{r.path}:{r.sha256}" for r in records]
    known: Mapping[str, bytes] = cache.get_many("tokens", keys) if cache else {}
    out, fresh = [], {}
    for record, key in zip(records, keys, strict=True):
        blob = known.get(key)
        if blob is None:
            tokens = tokenise(record.path, read_text(record.path))
            fresh[key] = msgspec.msgpack.encode(tokens)
        else:
            tokens = msgspec.msgpack.decode(blob, type=FileTokens)
        out.append(tokens)
    if cache and fresh:
        cache.put_many("tokens", fresh)
    return out


def build_lexical(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    read_text: Callable[[str], str],
    cache: Cache | None,
    out: Path,
) -> None:
    """Writes the lexical index of `records` (sorted by path) into the folder `out`.

    Args:
        records: facts of all files, sorted by path.
        explanations: explanation of each path.
        read_text: gives a file's decoded text ("" where it cannot be read).
        cache: object with get_many/put_many(namespace, ...) or None.
        out: an empty or new folder.
    """
    out.mkdir(parents=True, exist_ok=True)
    tokens = file_tokens(records, read_text, cache)
    bags = {name: field_terms(field_texts(name, records, explanations), cache) for name in FIELDS}
    vocabulary = _vocabulary(tokens, bags)
    written = {p for p, e in explanations.items() if e.model != "deterministic"}
    _write_text(out, records, vocabulary, written)
    _write_occurrences(out, tokens, vocabulary)
    for name, texts in bags.items():
        _write_field(out, name, texts, vocabulary)
    (out / "names.msgpack").write_bytes(msgspec.msgpack.encode(declared_places(records)))
    mined = mine_abbreviations(tokens)
    (out / "abbreviations.json").write_text(json.dumps(mined, sort_keys=True), encoding="utf-8")


def _vocabulary(tokens: Sequence[FileTokens], bags: dict[str, list[list[str]]]) -> dict[str, int]:
    seen: set[str] = set()
    for file in tokens:
        seen.update(file.vocab)
    for texts in bags.values():
        for bag in texts:
            seen.update(bag)
    return {term: number for number, term in enumerate(sorted(seen))}


def _write_text(
    out: Path, records: Sequence[FileRecord], vocabulary: dict[str, int], written: set[str]
) -> None:
    meta = [[r.path, r.role, r.n_lines, int(r.path in written)] for r in records]
    (out / "paths.json").write_text(json.dumps(meta), encoding="utf-8")
    (out / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")


def _write_occurrences(out: Path, tokens: Sequence[FileTokens], vocabulary: dict[str, int]) -> None:
    term_parts, pos_parts, doc_parts, line_parts = [], [], [], []
    file_start, line_ptr = [0], [0]
    for doc, file in enumerate(tokens):
        start = file_start[-1]
        remap = np.fromiter((vocabulary[t] for t in file.vocab), np.int32, len(file.vocab))
        ids = np.frombuffer(file.ids, np.uint32)
        term_parts.append(remap[ids])
        pos_parts.append(np.frombuffer(file.offsets, np.uint32).astype(np.int64) + start)
        doc_parts.append(np.full(len(ids), doc, np.int32))
        lines = np.frombuffer(file.line_starts, np.uint32).astype(np.int64) + start
        line_parts.append(lines)
        line_ptr.append(line_ptr[-1] + len(lines))
        file_start.append(start + file.length + FILE_GAP)
    term = np.concatenate(term_parts) if term_parts else np.zeros(0, np.int32)
    position = np.concatenate(pos_parts) if pos_parts else np.zeros(0, np.int64)
    document = np.concatenate(doc_parts) if doc_parts else np.zeros(0, np.int32)
    lines = np.concatenate(line_parts) if line_parts else np.zeros(0, np.int64)
    order = np.lexsort((position, term))
    term, position, document = term[order], position[order], document[order]
    size = len(vocabulary)
    np.save(out / "occ_ptr.npy", _pointers(term, size))
    np.save(out / "occ_pos.npy", position.astype(np.uint32))
    np.save(out / "file_start.npy", np.asarray(file_start, np.int64))
    np.save(out / "file_len.npy", np.asarray([f.length for f in tokens], np.int32))
    np.save(out / "line_ptr.npy", np.asarray(line_ptr, np.int64))
    np.save(out / "line_pos.npy", lines.astype(np.uint32))
    _write_postings(out, "post", term, document, size)


def _pointers(term: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(np.bincount(term, minlength=size)))).astype(np.int64)


def _write_postings(
    out: Path, name: str, term: np.ndarray, document: np.ndarray, size: int
) -> None:
    """Writes (document, tf) per term; `term` and, within it, `document` must be sorted."""
    if len(term):
        edge = np.flatnonzero((np.diff(term) != 0) | (np.diff(document) != 0)) + 1
        first = np.concatenate(([0], edge))
        count = np.diff(np.concatenate((first, [len(term)])))
        term, document = term[first], document[first]
    else:
        count = np.zeros(0, np.int64)
    np.save(out / f"{name}_ptr.npy", _pointers(term, size))
    np.save(out / f"{name}_doc.npy", document.astype(np.int32))
    np.save(out / f"{name}_tf.npy", np.minimum(count, 65535).astype(np.uint16))


def _write_field(out: Path, name: str, texts: list[list[str]], vocabulary: dict[str, int]) -> None:
    lengths = np.asarray([len(bag) for bag in texts], np.int32)
    flat = [vocabulary[t] for bag in texts for t in bag]
    term = np.asarray(flat, np.int32)
    document = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
    order = np.lexsort((document, term))
    _write_postings(out, name, term[order], document[order], len(vocabulary))
    np.save(out / f"{name}_len.npy", lengths)
