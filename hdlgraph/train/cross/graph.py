"""Makes the ONNX graph of a cross-encoder: the first layers of an encoder, and a head.

The head is score = tanh(c W + b) . v + a of the state c of the first token, in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError

SCORES = "scores"
"""The output, float32 (n, 1)."""
HEAD = ("dense.weight", "dense.bias", "out.weight", "out.bias")
"""W (d, d), b (d,), v (d,) and a (): the arrays of a head."""


def first_layers(data: bytes, layers: int, head: Mapping[str, np.ndarray]) -> bytes:
    """Returns a model of the first layers of an encoder and a head, as ONNX.

    Args:
        data: the encoder as ONNX.
        layers: how many are kept.
        head: arrays by the names of HEAD.

    Raises:
        UsageError: the encoder has no such layer.
    """
    import onnx
    from onnx import TensorProto, helper

    model = onnx.load_from_string(data)
    graph = model.graph
    state = _end_of(graph, layers - 1)
    nodes, held = _head(state, head)
    needed = _needed([*graph.node, *nodes])
    kept = [node for node in [*graph.node, *nodes] if needed & {*node.output}]
    used = {name for node in kept for name in node.input}
    weights = [one for one in graph.initializer if one.name in used] + held
    inputs = [one for one in graph.input if one.name in used]
    output = helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, ["n", 1])
    made = helper.make_graph(kept, "cross-encoder", inputs, [output], weights)
    found = helper.make_model(made, opset_imports=model.opset_import, ir_version=model.ir_version)
    whole: bytes = found.SerializeToString(deterministic=True)
    return whole


def _end_of(graph: Any, layer: int) -> str:
    """Returns the state behind a layer, counted from 0."""
    bias = f"encoder.layer.{layer}.output.LayerNorm.bias"
    for node in graph.node:
        if any(name.endswith(bias) for name in node.input):
            found: str = node.output[0]
            return found
    raise UsageError(f"the model has no layer {layer + 1} that can be told; take fewer")


def _head(state: str, head: Mapping[str, np.ndarray]) -> tuple[list[Any], list[Any]]:
    """Returns the nodes and the weights of a head behind a state."""
    from onnx import helper, numpy_helper

    arrays = {f"head.{name}": np.asarray(head[name], np.float32) for name in HEAD}
    arrays["head.out.weight"] = arrays["head.out.weight"].reshape(-1, 1)
    held = [numpy_helper.from_array(np.array(array, order="C"), n) for n, array in arrays.items()]
    held.append(numpy_helper.from_array(np.array(0, np.int64), "head.first"))
    steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
        ("Gather", [state, "head.first"], "head.c", {"axis": 1}),
        ("MatMul", ["head.c", "head.dense.weight"], "head.product", {}),
        ("Add", ["head.product", "head.dense.bias"], "head.sum", {}),
        ("Tanh", ["head.sum"], "head.tanh", {}),
        ("MatMul", ["head.tanh", "head.out.weight"], "head.score", {}),
        ("Add", ["head.score", "head.out.bias"], SCORES, {}),
    )
    nodes = [helper.make_node(kind, given, [name], **more) for kind, given, name, more in steps]
    return nodes, held


def _needed(nodes: list[Any]) -> set[str]:
    """Returns the names that the scores are computed from; nodes stand behind their inputs."""
    needed = {SCORES}
    for node in reversed(nodes):
        if needed & {*node.output}:
            needed |= {*node.input}
    return needed
