"""Runs a BERT encoder in JAX, with gradients.

The layers are those of Devlin et al., 2019 (arXiv:1810.04805), section 3, without dropout: few
steps on few pairs gain nothing by it. All texts of a call have one length, shorter ones are
filled up and masked. Where the last layers alone are learnt, no slope goes below them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError

LAYER = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")
MASKED = -1e9
"""Added to the attention to a place that is empty."""


@dataclass(frozen=True)
class Shape:
    """What the weights do not tell: heads of the attention, epsilon of the norms, pooling."""

    heads: int
    epsilon: float = 1e-12
    pooling: str = "cls"


def stacked(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns named weights as the encoder takes them, the layers along a first axis.

    Raises:
        UsageError: one is missing.
    """
    count = 1 + max(int(name.split(".")[2]) for name in arrays if name.startswith("encoder."))
    try:
        layers = {
            f"{part}.{what}": np.stack(
                [arrays[f"encoder.layer.{n}.{part}.{what}"] for n in range(count)]
            )
            for part in LAYER
            for what in ("weight", "bias")
        }
        tables = {name: arrays[f"embeddings.{name}.weight"] for name in TABLES}
        norm = {what: arrays[f"embeddings.LayerNorm.{what}"] for what in ("weight", "bias")}
    except KeyError as error:
        raise UsageError(f"the model has no weight {error}: it is no BERT encoder") from error
    return {"tables": tables, "norm": norm, "layers": layers}


def unstacked(weights: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Returns weights by name, the inverse of `stacked`."""
    found = {f"embeddings.{name}.weight": np.asarray(v) for name, v in weights["tables"].items()}
    found |= {f"embeddings.LayerNorm.{what}": np.asarray(v) for what, v in weights["norm"].items()}
    for name, layers in weights["layers"].items():
        found |= {f"encoder.layer.{n}.{name}": v for n, v in enumerate(np.asarray(layers))}
    return found


def encode(weights: Mapping[str, Any], ids: Any, mask: Any, shape: Shape, last: int = 0) -> Any:
    """Returns the vectors of texts, float32 (n, d), each of length 1; see `states`."""
    state = states(weights, ids, mask, shape, last)
    if shape.pooling == "mean":
        rows = (state * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    else:
        rows = state[:, 0]
    return of_length_1(rows)


def of_length_1(rows: Any) -> Any:
    """Returns vectors divided by their lengths."""
    import jax.numpy as jnp

    return rows / jnp.maximum(jnp.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def states(weights: Mapping[str, Any], ids: Any, mask: Any, shape: Shape, last: int = 0) -> Any:
    """Returns what the last layer gives for each token, float32 (n, tokens, d).

    Args:
        weights: of `stacked`.
        ids: int32 (n, tokens).
        mask: float32 (n, tokens), 1 where a token is, 0 where the text has ended.
        shape: see `Shape`.
        last: so many of the last layers have a slope; 0 for all weights.
    """
    import jax

    tables = weights["tables"]
    state = tables["word_embeddings"][ids] + tables["token_type_embeddings"][0]
    state = state + tables["position_embeddings"][: ids.shape[1]]
    state = _norm(state, weights["norm"]["weight"], weights["norm"]["bias"], shape.epsilon)
    away = (1 - mask)[:, None, None, :] * MASKED

    def step(state: Any, layer: Any) -> tuple[Any, None]:
        return _layer(layer, state, away, shape), None

    layers = weights["layers"]
    if last:
        state, _ = jax.lax.scan(step, state, {name: one[:-last] for name, one in layers.items()})
        state = jax.lax.stop_gradient(state)
        layers = {name: one[-last:] for name, one in layers.items()}
    state, _ = jax.lax.scan(step, state, layers)
    return state


def first_states(weights: Mapping[str, Any], state: Any, mask: Any, shape: Shape) -> Any:
    """Returns what the layers make of the first token of texts, float32 (n, d).

    Args:
        weights: `norm` and `layers` of `stacked`, and `below`, layers that come before those; of
            the last layer only the first token is asked.
        state: the sum of what the tables have of each token, float32 (n, tokens, d).
        mask: as of `encode`.
        shape: see `Shape`.
    """
    import jax

    state = _norm(state, weights["norm"]["weight"], weights["norm"]["bias"], shape.epsilon)
    away = (1 - mask)[:, None, None, :] * MASKED

    def step(state: Any, layer: Any) -> tuple[Any, None]:
        return _layer(layer, state, away, shape), None

    layers = weights["layers"]
    for some in (weights["below"], {name: one[:-1] for name, one in layers.items()}):
        state, _ = jax.lax.scan(step, state, some)
    last = {name: one[-1] for name, one in layers.items()}
    return _layer(last, state, away, shape, asking=1)[:, 0]


def _layer(
    layer: Mapping[str, Any], state: Any, away: Any, shape: Shape, asking: int | None = None
) -> Any:
    """Returns what a layer gives for the first `asking` tokens, for all where it is None."""
    import jax

    def dense(part: str, value: Any) -> Any:
        return value @ layer[f"{part}.weight"] + layer[f"{part}.bias"]

    def norm(part: str, value: Any) -> Any:
        return _norm(value, layer[f"{part}.weight"], layer[f"{part}.bias"], shape.epsilon)

    n, _, d = state.shape
    own = state[:, :asking]
    asked, keys, values = (
        dense(f"attention.self.{one}", given).reshape(n, -1, shape.heads, d // shape.heads)
        for one, given in (("query", own), ("key", state), ("value", state))
    )
    near = jax.numpy.einsum("nqhd,nkhd->nhqk", asked, keys) / np.sqrt(d / shape.heads)
    share = jax.nn.softmax(near + away, axis=-1)
    heard = jax.numpy.einsum("nhqk,nkhd->nqhd", share, values).reshape(n, -1, d)
    state = norm("attention.output.LayerNorm", own + dense("attention.output.dense", heard))
    wide = jax.nn.gelu(dense("intermediate.dense", state), approximate=False)
    return norm("output.LayerNorm", state + dense("output.dense", wide))


def _norm(value: Any, weight: Any, bias: Any, epsilon: float) -> Any:
    centred = value - value.mean(-1, keepdims=True)
    spread = (centred**2).mean(-1, keepdims=True)
    return centred / (spread + epsilon) ** 0.5 * weight + bias
