"""The encoder of token vectors as a model that is fine-tuned: a text has a vector for each token.

How near a question is to a text is the mean over its own tokens of the nearest token of the text
(Khattab & Zaharia, ColBERT, SIGIR 2020, eq. 3, which has the sum: the mean is the same order, and
makes long questions as sure as short ones). The projection is learnt with the layers.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.index.embed.embedder import sha256_of
from hdlgraph.index.embed.surfaces import passages_of
from hdlgraph.index.embed.token_vectors import (
    FINE_TUNED,
    FINE_TUNED_FILES,
    PASSAGE,
    QUESTION,
    fine_tuned_encoder,
    load_token_encoder,
)
from hdlgraph.query.features import token_vectors as compared
from hdlgraph.settings.records import EmbeddingSettings
from hdlgraph.store.design.facts import read_facts
from hdlgraph.train.full.encoder import Shape, of_length_1, stacked, states, unstacked
from hdlgraph.train.full.fit import FullRecipe, Tokens
from hdlgraph.train.full.material import Source, filled
from hdlgraph.train.full.model_folder import (
    file_of,
    model_file,
    shape_of,
    write_about,
    write_folder,
)
from hdlgraph.train.full.onnx_weights import OnnxWeights
from hdlgraph.train.full.reembedded import reencoded
from hdlgraph.train.full.tunable import Rank, Remade, short_texts
from hdlgraph.train.report import TOKEN_ENCODER

if TYPE_CHECKING:
    from hdlgraph.query.index_view import IndexView

ALIKE = 0.99
"""Least mean cosine of our token vectors of a text and onnxruntime's: int8 sums take .003 off."""
HEADS = 12
"""Of the embedded model, which has no config.json."""
FAR = 4.0
"""Taken from the nearness to a place that is empty: more than two cosines can differ."""


@dataclass(frozen=True, slots=True)
class TokenRecipe(FullRecipe):
    """How an encoder of token vectors is learnt: `asked` tokens of a question are read.

    The least near row that answers is mostly of names alone, and left out.
    """

    hard: int = 2
    tokens: int = 96
    epochs: int = 2
    checks: int = 2
    right: int = 2
    asked: int = 32


class TokenByToken:
    """The encoder that settings name; see `Tunable`.

    Raises:
        WeightsMissingError: the weights are missing.
    """

    kind, alone, prefix = TOKEN_ENCODER, "token vectors alone", ""

    def __init__(self, settings: EmbeddingSettings, recipe: TokenRecipe) -> None:
        self.recipe: TokenRecipe = recipe
        self._encoder = load_token_encoder(settings)
        folder = self._encoder.folder
        known = (folder / "config.json").is_file()
        self._shape = shape_of(folder, "") if known else Shape(HEADS)
        self._former = OnnxWeights(model_file(folder))
        self.base = {"name": self._encoder.name, "sha256": sha256_of(model_file(folder))}

    def texts(self, source: Source) -> Sequence[str]:
        """Returns the passage of each row of an index."""
        index = source.target.index
        assert index.surfaces is not None
        passages = passages_of(index.surfaces.texts, read_facts(index.folder))
        return [passages[n] for n in np.flatnonzero(source.target.known)]

    def tokens(self, texts: Sequence[str], questions: AbstractSet[int]) -> Tokens:
        """Returns texts as tokens, each with the token that says what it is."""
        ids, recipe = self._encoder.ids, self.recipe
        found = [
            ids(text, QUESTION, recipe.asked)
            if n in questions
            else ids(text, PASSAGE, recipe.tokens)
            for n, text in enumerate(texts)
        ]
        return filled(found, max(recipe.tokens, recipe.asked))

    def weights(self) -> dict[str, Any]:
        """Returns the weights by their places, and the projection."""
        return {**stacked(self._former.arrays()), "projection": self._encoder.projection}

    def near(self, weights: Any, ids: Any, mask: Any, count: int) -> Any:
        """Returns how near each of the first `count` texts is to the others, token by token."""
        import jax.numpy as jnp

        most = self.recipe.asked
        asked = self._rows(weights, ids[:count, :most], mask[:count, :most])
        texts = self._rows(weights, ids[count:], mask[count:])
        cosines = jnp.einsum("qid,tjd->qtij", asked, texts)
        nearest = (cosines - FAR * (1 - mask[count:])[None, :, None, :]).max(-1)
        own = own_tokens(mask[:count, :most])
        return (nearest * own[:, None, :]).sum(-1) / own.sum(-1)[:, None]

    def _rows(self, weights: Any, ids: Any, mask: Any) -> Any:
        """Returns the vectors of tokens, float32 (n, tokens, 192), each of length 1."""
        state = states(weights, ids, mask, self._shape, self.recipe.last)
        return of_length_1(state @ weights["projection"])

    def check_alike(self, weights: dict[str, Any], texts: Sequence[str]) -> None:
        """Checks our forward pass by short texts, which neither cuts."""
        for text in short_texts(texts, self.recipe.tokens):
            tokens = self.tokens([text], frozenset())
            count = int(tokens.mask.sum())
            ours = np.asarray(self._rows(weights, tokens.ids, tokens.mask))[0, :count]
            theirs = self._encoder.passages([text])[0].astype(np.float32)
            theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
            mean = float((ours * theirs).sum(axis=1).mean())
            if mean < ALIKE:
                raise UsageError(
                    "the model cannot be fine-tuned: its layers are not those of BERT (token "
                    f"vectors of ours and of onnxruntime have cosine {mean:.3f})"
                )

    def before(self, source: Source) -> Rank:
        """Returns the ranking by the token vectors of the index."""
        index = source.target.index
        if index.encoder is None:
            raise UsageError(
                f"{source.project.folder}: it has no token vectors of {self._encoder.name}; index "
                "again"
            )
        return _token_by_token(index)

    def write(self, out: Path, weights: dict[str, Any]) -> Path:
        """Writes the model, its projection and what it needs of its base; returns the folder."""
        projection = io.BytesIO()
        np.save(projection, np.asarray(weights["projection"], np.float32))
        config = {"num_attention_heads": self._shape.heads, "layer_norm_eps": self._shape.epsilon}
        files = {
            "tokenizer.json": file_of(self._encoder.folder, "tokenizer.json"),
            "config.json": json.dumps(config).encode(),
            "projection.npy": projection.getvalue(),
            "model.onnx": self._former.write(unstacked(weights)),
        }
        return write_folder(out, self.kind, files, FINE_TUNED)

    def write_about(self, folder: Path, about: dict[str, Any]) -> None:
        """Writes `token-encoder.json`."""
        write_about(folder, FINE_TUNED, FINE_TUNED_FILES, about)

    @contextmanager
    def remade(self, index: IndexView, folder: Path) -> Iterator[Remade]:
        """Opens a copy of an index with the token vectors of a model that was written."""
        with reencoded(index, fine_tuned_encoder(folder, judged=False)) as searcher:
            yield Remade(searcher, _token_by_token(searcher.index))


def own_tokens(mask: Any) -> Any:
    """Returns 1 where a question has a token of its own, 0 at markers and where it has ended.

    Args:
        mask: float32 (n, tokens), 1 where a token is.
    """
    import jax.numpy as jnp

    place = jnp.arange(mask.shape[1])[None, :]
    own = mask * (place >= 2) * (place < mask.sum(-1, keepdims=True) - 1)
    return jnp.where(own.sum(-1, keepdims=True) > 0, own, mask)


def _token_by_token(index: IndexView) -> Rank:
    """Returns the ranking of files by their nearest tokens."""
    encoder = index.encoder
    assert encoder is not None
    passages = index.part(compared.passages_of)
    files = np.arange(len(index.lexicon.paths))

    def rank(query: str) -> Sequence[int]:
        score, _ = passages.score(encoder.question(query), files)
        return np.argsort(-score, kind="stable").tolist()

    return rank
