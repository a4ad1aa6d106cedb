"""What a model gives to be fine-tuned: texts, tokens, weights, nearness of texts, and a folder.

`sentences.py` has it for the embedder, `token_by_token.py` for the encoder of token vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hdlgraph.train.full.fit import FullRecipe, Nearness, Tokens

if TYPE_CHECKING:
    from hdlgraph.query.index_view import IndexView
    from hdlgraph.query.search import Searcher
    from hdlgraph.train.full.material import Source

Rank = Callable[[str], Sequence[int]]
"""Gives all files as a model's vectors alone rank them for a question."""


@dataclass(frozen=True)
class Remade:
    """An index whose vectors a model made anew: its searcher, and the ranking by them alone."""

    searcher: Searcher
    alone: Rank


class Tunable(Nearness, Protocol):
    """A model that is fine-tuned.

    `kind` is told in reports, `alone` names the ranking by its vectors alone, `prefix` stands
    before a question, and `base` says which model it is trained from.
    """

    kind: str
    alone: str
    prefix: str
    base: dict[str, str]

    @property
    def recipe(self) -> FullRecipe:
        """Returns how it is fine-tuned."""
        ...

    def texts(self, source: Source) -> Sequence[str]:
        """Returns the text of each row of an index."""
        ...

    def tokens(self, texts: Sequence[str], questions: AbstractSet[int]) -> Tokens:
        """Returns texts as tokens; `questions` are the numbers of those that are questions."""
        ...

    def weights(self) -> dict[str, Any]:
        """Returns the weights as `near` takes them.

        Raises:
            UsageError: the model has none that can be fine-tuned.
        """
        ...

    def check_alike(self, weights: dict[str, Any], texts: Sequence[str]) -> None:
        """Checks that the forward pass gives the vectors that the model gives.

        Raises:
            UsageError: it does not, as the model has layers of another kind.
        """
        ...

    def before(self, source: Source) -> Rank:
        """Returns the ranking by the vectors that an index has."""
        ...

    def write(self, out: Path, weights: dict[str, Any]) -> Path:
        """Writes the model with other weights into a folder of its own in `out`; returns that."""
        ...

    def write_about(self, folder: Path, about: dict[str, Any]) -> None:
        """Writes what a model is beside it, with the checksums of its files."""
        ...

    def remade(self, index: IndexView, folder: Path) -> AbstractContextManager[Remade]:
        """Opens a copy of an index whose vectors the written model made anew."""
        ...


CHECKED = 8
"""Texts whose vectors are compared before the training."""


def short_texts(texts: Sequence[str], most: int) -> list[str]:
    """Returns some texts that are shorter than `most` characters, and so not cut."""
    short = sorted(range(len(texts)), key=lambda n: (len(texts[n]), n))[: CHECKED * 4 : 4]
    return [texts[n] for n in short if 0 < len(texts[n]) < most]


def least_cosine(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Returns the least cosine of rows of two arrays, each of length 1."""
    return float((ours * theirs).sum(axis=1).min())
