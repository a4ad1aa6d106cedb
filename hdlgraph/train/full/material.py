"""What an encoder learns from: the pairs of one or several indexes, their texts as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.train.examples import Material, bind
from hdlgraph.train.full.fit import Tokens
from hdlgraph.train.pairs import Pair
from hdlgraph.train.targets import Files, files_of


@dataclass(frozen=True)
class Source:
    """An index with the pairs that are of it."""

    project: Project
    target: Files
    material: Material


def source(project: Project, pairs: Sequence[Pair], tick: Any = None) -> Source:
    """Returns an index with its pairs, the hard negatives of each found.

    Raises:
        UsageError: the index has no vectors.
    """
    target = files_of(project)
    if target is None:
        raise UsageError(
            f"index {project.folder}: it has no vectors of files; make it again without "
            "--no-embeddings"
        )
    return Source(project, target, bind(target, pairs, tick))


def tokens_of(texts: Sequence[str], tokenizer: Any, most: int) -> Tokens:
    """Returns texts as tokens, cut at `most`."""
    tokenizer.enable_truncation(max_length=most)
    clipped = [text[: most * 32].encode("utf-8", "replace").decode() for text in texts]
    return filled([encoding.ids for encoding in tokenizer.encode_batch(clipped)], most)


def filled(rows: Sequence[Sequence[int]], most: int) -> Tokens:
    """Returns rows of tokens as arrays of `most` columns, where shorter ones are filled up."""
    ids = np.zeros((len(rows), most), np.int32)
    mask = np.zeros((len(rows), most), np.float32)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return Tokens(ids, mask)
