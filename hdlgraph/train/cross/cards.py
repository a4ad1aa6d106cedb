"""The texts and tokens that a cross-encoder reads: a question, and a card of what a file is.

A card is the path in words, the purpose and the behaviour that the index keeps. Both are made into
tokens once and put together for each pair: [CLS] question [SEP] card [SEP], the card cut to fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.index.embed.surfaces import spaced
from hdlgraph.store.surfaces import StoredSurfaces

if TYPE_CHECKING:
    from hdlgraph.query.index_view import IndexView

QUESTION_TOKENS = 64
"""Of a question; what is longer is a pasted log, whose words the search compares."""
CHARS = 32
"""Characters of a text that are read for each token wanted, as of the embedder."""
EXPLAINED = ("purpose", "behaviour")


def cards_of(index: IndexView) -> list[str]:
    """Returns the card of each file by its number."""
    paths = index.lexicon.paths
    parts: list[dict[str, str]] = [{} for _ in paths]
    found = StoredSurfaces.find(index.folder)
    for surface in found.texts if found else ():
        parts[surface.file].setdefault(surface.kind, surface.text)
    return [
        " ".join(
            [
                spaced(path.rsplit(".", 1)[0]) + ".",
                *(mine[kind] for kind in EXPLAINED if kind in mine),
            ]
        )
        for path, mine in zip(paths, parts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts as tokens without markers, and the markers [CLS] and [SEP]."""

    of: tuple[np.ndarray, ...]
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Pairs as tokens: int32 ids and kinds (0 question, 1 card), float32 mask; (n, tokens) each."""

    ids: np.ndarray
    kinds: np.ndarray
    mask: np.ndarray


def pieces(texts: Sequence[str], tokenizer: Any, most: int) -> Pieces:
    """Returns texts as tokens, each cut at `most`."""
    tokenizer.no_truncation()
    first, end = tokenizer.encode("").ids
    clipped = [text[: most * CHARS].encode("utf-8", "replace").decode() for text in texts]
    found = tokenizer.encode_batch(clipped, add_special_tokens=False)
    return Pieces(tuple(np.asarray(one.ids[:most], np.int32) for one in found), first, end)


def rows(known: Pieces, pairs: Sequence[tuple[int, int]], tokens: int) -> Rows:
    """Returns pairs as rows of one length.

    Args:
        known: all texts.
        pairs: numbers of a question and of a card.
        tokens: of a row.
    """
    shape = len(pairs), tokens
    found = Rows(np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.float32))
    for row, (question, card) in enumerate(pairs):
        asked = known.of[question][:QUESTION_TOKENS]
        told = known.of[card][: max(tokens - len(asked) - 3, 0)]
        whole = [known.first, *asked.tolist(), known.end, *told.tolist(), known.end][:tokens]
        found.ids[row, : len(whole)] = whole
        found.kinds[row, len(asked) + 2 : len(whole)] = 1
        found.mask[row, : len(whole)] = 1
    return found


def feed(row: Rows, at: int) -> Mapping[str, np.ndarray]:
    """Returns one pair as the inputs of an ONNX model, without what fills it up."""
    length = int(row.mask[at].sum())
    return {
        "input_ids": row.ids[at : at + 1, :length].astype(np.int64),
        "attention_mask": np.ones((1, length), np.int64),
        "token_type_ids": row.kinds[at : at + 1, :length].astype(np.int64),
    }
