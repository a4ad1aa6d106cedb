"""Opens the model that is fine-tuned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hdlgraph.train.full.fine_tune import check_extra
from hdlgraph.train.full.fit import FullRecipe
from hdlgraph.train.full.sentences import Sentences
from hdlgraph.train.full.token_by_token import TokenByToken, TokenRecipe
from hdlgraph.train.report import TOKEN_ENCODER

if TYPE_CHECKING:
    from hdlgraph.settings.records import EmbeddingSettings
    from hdlgraph.train.full.tunable import Tunable


def open_tunable(settings: EmbeddingSettings, kind: str, **recipe: Any) -> Tunable:
    """Returns the model that settings name, and how it is fine-tuned.

    Args:
        settings: of the index.
        kind: EMBEDDER or TOKEN_ENCODER.
        recipe: what is not as usual.

    Raises:
        UsageError: the extra `train` is missing, or the model is none that can be fine-tuned.
        WeightsMissingError: weights are missing.
    """
    check_extra()
    if kind == TOKEN_ENCODER:
        return TokenByToken(settings, replace(TokenRecipe(), **recipe))
    return Sentences(settings, replace(FullRecipe(), **recipe))
