"""Turns the text of a file into terms with positions and lines, the unit that is cached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from hdlgraph.words import WORD, hyphenations, identifier_terms, normalise, stem

MAX_TERMS = 400_000  # positions per file; generated netlists go on for millions
_COMMENT = re.compile(r"(//[^\n]*|/\*.*?(?:\*/|\Z))", re.S)
_COMMENT_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FileTokens(msgspec.Struct, frozen=True, array_like=True):
    """Terms of one file.

    `ids` (uint32 bytes): index into `vocab`, one per occurrence; `offsets` (uint32 bytes): the
    occurrence's position (parts count, a joined form shares its first part's position);
    `line_starts` (uint32 bytes): position at which each line begins, entry 0 is the path line.
    `comment_words` and `fragments` feed the abbreviation miner.
    """

    vocab: list[str]
    ids: bytes
    offsets: bytes
    line_starts: bytes
    length: int
    comment_words: list[str]
    fragments: list[str]


class Mined(msgspec.Struct, frozen=True, array_like=True):
    """What the abbreviation miner reads of a file, as `FileTokens` has it."""

    comment_words: list[str]
    fragments: list[str]


_DECODE = msgspec.msgpack.Decoder(FileTokens).decode


class Encoded(Iterable[FileTokens]):
    """Terms of files as they are kept, each decoded while it is looked at, however often.

    Decoded, those of a segment's files would take three times as much.
    """

    def __init__(self, blobs: Sequence[bytes]) -> None:
        self._blobs = blobs

    def __iter__(self) -> Iterator[FileTokens]:
        return map(_DECODE, self._blobs)


def mined_of(blob: bytes) -> bytes:
    """Returns what the abbreviation miner reads of encoded terms, encoded as `Mined`."""
    found = _DECODE(blob)
    return msgspec.msgpack.encode(Mined(found.comment_words, found.fragments))


def tokenise(path: str, text: str) -> FileTokens:
    """Returns the terms of a file; line 0 holds the path's own words."""
    index: dict[str, int] = {}
    ids: list[int] = []
    offsets: list[int] = []
    line_starts: list[int] = []
    position = 0
    for line in [path, *normalise(text).split("\n")]:
        line_starts.append(position)
        if position >= MAX_TERMS:
            continue
        start = position
        for word in WORD.findall(line):
            parts, joined = identifier_terms(word)
            if joined:
                ids.append(index.setdefault(joined, len(index)))
                offsets.append(position)
            for part in parts:
                ids.append(index.setdefault(part, len(index)))
                offsets.append(position)
                position += 1
        if "-" in line:
            for left, right in hyphenations(line):
                ids.append(index.setdefault(stem((left + right).lower()), len(index)))
                offsets.append(start)
    comment_words, fragments = mining_sets(text)
    return FileTokens(
        list(index),
        np.asarray(ids, np.uint32).tobytes(),
        np.asarray(offsets, np.uint32).tobytes(),
        np.asarray(line_starts, np.uint32).tobytes(),
        position,
        comment_words,
        fragments,
    )


def mining_sets(text: str) -> tuple[list[str], list[str]]:
    """Returns (words of the comments, identifier fragments of the code), sorted, for mining."""
    pieces = _COMMENT.split(text)  # code and comments in turn
    comment_words = set(map(str.lower, set(_COMMENT_WORD.findall(" ".join(pieces[1::2])))))
    parts: set[str] = set()
    for identifier in set(_IDENTIFIER.findall(" ".join(pieces[::2]))):
        parts.update(identifier_terms(identifier)[0])
    fragments = (part for part in parts if 2 <= len(part) <= 6 and part.isalpha())
    return sorted(comment_words), sorted(fragments)
