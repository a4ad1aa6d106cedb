"""A cross-encoder in use, and the folder that it is written into.

cross-encoder-X/model.onnx          X is the beginning of its SHA-256
cross-encoder-X/tokenizer.json      that of the model it was trained from
cross-encoder-X/cross-encoder.json  checksums, tokens of a pair, judgement, how it was made
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed.embedder import sha256_of
from hdlgraph.index.embed.onnx import open_session, open_tokenizer
from hdlgraph.safety.safe_files import read_regular
from hdlgraph.train.cross.cards import feed, pieces, rows
from hdlgraph.train.cross.graph import first_layers
from hdlgraph.train.cross.start import Start
from hdlgraph.train.full.encoder import unstacked
from hdlgraph.train.full.model_folder import file_of, write_about, write_folder

KIND = "cross-encoder"
ABOUT = f"{KIND}.json"
FILES = ("model.onnx", "tokenizer.json")
ABOUT_BYTES = 10_000_000


class CrossEncoder:
    """Scores cards for questions. Each pair runs alone, as in a batch int8 sums depend on others.

    Args:
        folder: of a model.

    Raises:
        WeightsMissingError: its files are not those that were written.
    """

    def __init__(self, folder: Path) -> None:
        try:
            about = json.loads(read_regular(folder / ABOUT, ABOUT_BYTES))
            self.tokens, sums = int(about["tokens"]), dict(about["sha256"])
            other = [name for name in FILES if sha256_of(folder / name) != sums[name]]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise WeightsMissingError(f"{folder}: is no cross-encoder ({error})") from error
        if other:
            raise WeightsMissingError(f"{folder}: {other[0]} has another sha256; train it again")
        self._session = open_session(folder / "model.onnx")
        self._tokenizer = open_tokenizer(folder / "tokenizer.json")
        self._inputs = {one.name for one in self._session.get_inputs()}

    def scores(self, question: str, cards: Sequence[str]) -> np.ndarray:
        """Returns the score of each card, float32 (cards,)."""
        known = pieces([question, *cards], self._tokenizer, self.tokens)
        found = rows(known, [(0, 1 + n) for n in range(len(cards))], self.tokens)
        return np.asarray([self._score(feed(found, at)) for at in range(len(cards))], np.float32)

    def _score(self, row: Mapping[str, np.ndarray]) -> float:
        given = {name: value for name, value in row.items() if name in self._inputs}
        return float(self._session.run(None, given)[0][0, 0])


def write_cross_encoder(out: Path, start: Start, weights: Mapping[str, Any]) -> Path:
    """Writes a model, int8 where the one was that it began with; returns its folder.

    Args:
        out: folder for it.
        start: what it was trained from.
        weights: as of `Start.weights`.

    Raises:
        UsageError: the folder cannot be written, or the tokenizer not read.
    """
    fixed, learnt = weights["fixed"], weights["learnt"]
    layers = {
        name: np.concatenate([below, np.asarray(learnt["layers"][name])])
        for name, below in fixed["below"].items()
    }
    mine = unstacked({"tables": fixed["tables"], "norm": fixed["norm"], "layers": layers})
    data = start.former.write({**start.former.arrays(), **mine})
    data = first_layers(data, len(layers["output.LayerNorm.bias"]), learnt["head"])
    tokenizer = file_of(start.tokenizer.parent, start.tokenizer.name)
    return write_folder(out, KIND, {"model.onnx": data, "tokenizer.json": tokenizer}, ABOUT)


def write_judged(folder: Path, tokens: int, about: Mapping[str, Any]) -> None:
    """Writes what a model is beside it, with the checksums of its files."""
    write_about(folder, ABOUT, FILES, {"tokens": tokens, **about})
