"""The embedder as a model that is fine-tuned: a text has one vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.embedder import FINE_TUNED, FINE_TUNED_FILES, load_embedder, sha256_of
from hdlgraph.index.embed.onnx import open_tokenizer
from hdlgraph.settings.records import EmbeddingSettings
from hdlgraph.train.embedder import ALONE
from hdlgraph.train.full.encoder import encode, stacked, unstacked
from hdlgraph.train.full.fit import FullRecipe, Tokens
from hdlgraph.train.full.material import Source, tokens_of
from hdlgraph.train.full.model_folder import (
    base_settings,
    file_of,
    model_file,
    shape_of,
    write_about,
    write_folder,
)
from hdlgraph.train.full.onnx_weights import OnnxWeights
from hdlgraph.train.full.reembedded import reembedded
from hdlgraph.train.full.tunable import Rank, Remade, least_cosine, short_texts
from hdlgraph.train.report import EMBEDDER

if TYPE_CHECKING:
    from hdlgraph.query.index_view import IndexView

ALIKE = 0.99
"""Least cosine of our forward pass and onnxruntime's: int8 sums take .003 off, a wrong layer more.
"""


class Sentences:
    """The embedder that settings name; see `Tunable`.

    Raises:
        UsageError: it is an endpoint or none, whose weights are not here.
        WeightsMissingError: the embedded weights are missing.
    """

    kind, alone = EMBEDDER, ALONE

    def __init__(self, settings: EmbeddingSettings, recipe: FullRecipe) -> None:
        self.recipe = recipe
        self._base = base_settings(settings)
        self._folder = Path(self._base.path).expanduser()
        self.prefix = self._base.query_prefix
        self._shape = shape_of(self._folder, self._base.pooling)
        self._former = OnnxWeights(model_file(self._folder))
        self.base = {"name": self._base.model, "sha256": sha256_of(model_file(self._folder))}

    def texts(self, source: Source) -> Sequence[str]:
        """Returns the text of each row of an index."""
        return source.target.texts

    def tokens(self, texts: Sequence[str], questions: AbstractSet[int]) -> Tokens:  # noqa: ARG002
        """Returns texts as tokens; a question has its prefix and needs nothing else."""
        return tokens_of(texts, open_tokenizer(self._folder / "tokenizer.json"), self.recipe.tokens)

    def weights(self) -> dict[str, Any]:
        """Returns the weights by their places."""
        return stacked(self._former.arrays())

    def near(self, weights: Any, ids: Any, mask: Any, count: int) -> Any:
        """Returns the cosines of the first `count` texts and the others."""
        rows = encode(weights, ids, mask, self._shape, self.recipe.last)
        return rows[:count] @ rows[count:].T

    def check_alike(self, weights: dict[str, Any], texts: Sequence[str]) -> None:
        """Checks our forward pass by short texts, which neither cuts."""
        short = short_texts(texts, self.recipe.tokens)
        if not short:
            return
        tokens = self.tokens(short, frozenset())
        ours = np.asarray(encode(weights, tokens.ids, tokens.mask, self._shape))
        least = least_cosine(ours, self._opened(self._folder).embed(short))
        if least < ALIKE:
            raise UsageError(
                f"the model cannot be fine-tuned: its layers are not those of BERT (a vector of "
                f"ours and one of onnxruntime have cosine {least:.3f})"
            )

    def before(self, source: Source) -> Rank:
        """Returns the ranking by the vectors of the index."""
        target = source.target
        return _by_rows(target.rows, target.owners, target.embedder)

    def write(self, out: Path, weights: dict[str, Any]) -> Path:
        """Writes the model and what it needs of its base; returns the new folder."""
        files = {name: file_of(self._folder, name) for name in ("tokenizer.json", "config.json")}
        files["model.onnx"] = self._former.write(unstacked(weights))
        return write_folder(out, self.kind, files, FINE_TUNED)

    def write_about(self, folder: Path, about: dict[str, Any]) -> None:
        """Writes `embedder.json`."""
        write_about(folder, FINE_TUNED, FINE_TUNED_FILES, about)

    @contextmanager
    def remade(self, index: IndexView, folder: Path) -> Iterator[Remade]:
        """Opens a copy of an index with the vectors of a model that was written."""
        embedder = self._opened(folder)
        with reembedded(index, embedder) as (searcher, rows):
            surfaces = searcher.index.surfaces
            assert surfaces is not None
            yield Remade(searcher, _by_rows(rows, surfaces.owner, embedder))

    def _opened(self, folder: Path) -> Any:
        return load_embedder(replace(self._base, path=str(folder)))


def _by_rows(rows: np.ndarray, owners: np.ndarray, embedder: Any) -> Rank:
    """Returns the ranking of files by the nearest of their rows."""

    def rank(query: str) -> Sequence[int]:
        near = rows @ embedder.embed([query], query=True)[0]
        return list(dict.fromkeys(owners[np.argsort(-near, kind="stable")].tolist()))

    return rank
