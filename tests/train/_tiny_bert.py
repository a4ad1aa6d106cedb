"""A BERT model of two layers with weights by chance, as ONNX with its tokenizer and config."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

D, HEADS, LAYERS, TOKENS = 16, 2, 2, 128


def write_tiny_bert(folder: Path, texts: list[str], int8: bool) -> Path:
    """Writes the model into a folder, its words those of the texts; returns the folder."""
    import onnx

    folder.mkdir(parents=True)
    vocabulary = write_tokenizer(folder / "tokenizer.json", texts)
    config = {"num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config))
    onnx.save(Bert(vocabulary).model(), str(folder / "model.onnx"))
    if int8:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        path = str(folder / "model.onnx")
        # As the embedded model: by columns, and to 64, as sums of more saturate on some processors.
        options = {"per_channel": True, "reduce_range": True}
        quantize_dynamic(path, path, weight_type=QuantType.QInt8, **options)
    return folder


def write_tokenizer(path: Path, texts: list[str]) -> int:
    """Writes a tokenizer of whole words; returns how many it knows."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({word for text in texts for word in text.lower().replace("?", "").split()})
    known = {word: n for n, word in enumerate(["[PAD]", "[CLS]", "[SEP]", "[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("[CLS]", 1), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    tokenizer.save(str(path))
    return len(known)


class Bert:
    """Builds the graph, node by node."""

    def __init__(self, vocabulary: int) -> None:
        self._dice = np.random.default_rng(5)
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._vocabulary = vocabulary

    def model(self) -> Any:
        from onnx import TensorProto, helper

        state = self._embeddings()
        away = self._away()
        for n in range(LAYERS):
            state = self._layer(f"encoder.layer.{n}", state, away)
        self._node("Identity", [state], "last_hidden_state")
        names = ("input_ids", "attention_mask", "token_type_ids")
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in names
        ]
        shape = ["n", "t", D]
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
        graph = helper.make_graph(self._nodes, "bert", inputs, [output], self._weights)
        opsets = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def _node(self, kind: str, inputs: list[str], output: str = "", **more: Any) -> str:
        from onnx import helper

        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **more))
        return output

    def _held(self, name: str, array: Any) -> str:
        from onnx import numpy_helper

        self._weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _drawn(self, name: str, *shape: int, around: float = 0.0) -> str:
        values = around + self._dice.normal(0, 0.3, shape)
        return self._held(name, values.astype(np.float32))

    def _number(self, value: Any) -> str:
        return self._held(f"number_{len(self._weights)}", value)

    def _embeddings(self) -> str:
        words = self._drawn("embeddings.word_embeddings.weight", self._vocabulary, D)
        places = self._drawn("embeddings.position_embeddings.weight", TOKENS, D)
        kinds = self._drawn("embeddings.token_type_embeddings.weight", 2, D)
        shape = self._node("Shape", ["input_ids"])
        count = self._node("Gather", [shape, self._number(np.int64(1))])
        zero, one = self._number(np.int64(0)), self._number(np.int64(1))
        place = self._node("Gather", [places, self._node("Range", [zero, count, one])])
        word = self._node("Gather", [words, "input_ids"])
        kind = self._node("Gather", [kinds, "token_type_ids"])
        whole = self._node("Add", [self._node("Add", [word, kind]), place])
        return self._norm("embeddings.LayerNorm", whole)

    def _away(self) -> str:
        mask = self._node("Cast", ["attention_mask"], to=1)
        empty = self._node("Sub", [self._number(np.float32(1)), mask])
        far = self._node("Mul", [empty, self._number(np.float32(-1e9))])
        return self._node("Unsqueeze", [far, self._number(np.asarray([1, 2]))])

    def _norm(self, name: str, value: str) -> str:
        weight = self._drawn(f"{name}.weight", D, around=1.0)
        bias = self._drawn(f"{name}.bias", D)
        return self._node("LayerNormalization", [value, weight, bias], axis=-1, epsilon=1e-12)

    def _dense(self, name: str, value: str, inside: int = D, outside: int = D) -> str:
        """Adds a product whose matrix has a name that says nothing, as exporters give it."""
        weight = self._drawn(f"onnx::MatMul_{len(self._weights)}", inside, outside)
        bias = self._drawn(f"{name}.bias", outside)
        return self._node("Add", [bias, self._node("MatMul", [value, weight])])

    def _heads(self, value: str, order: list[int]) -> str:
        parts = self._number(np.asarray([0, 0, HEADS, D // HEADS]))
        return self._node("Transpose", [self._node("Reshape", [value, parts])], perm=order)

    def _layer(self, name: str, state: str, away: str) -> str:
        own = f"{name}.attention.self"
        asked = self._heads(self._dense(f"{own}.query", state), [0, 2, 1, 3])
        keys = self._heads(self._dense(f"{own}.key", state), [0, 2, 3, 1])
        values = self._heads(self._dense(f"{own}.value", state), [0, 2, 1, 3])
        root = self._number(np.float32((D / HEADS) ** 0.5))
        near = self._node("Div", [self._node("MatMul", [asked, keys]), root])
        share = self._node("Softmax", [self._node("Add", [near, away])], axis=-1)
        heard = self._node("Transpose", [self._node("MatMul", [share, values])], perm=[0, 2, 1, 3])
        heard = self._node("Reshape", [heard, self._number(np.asarray([0, 0, D]))])
        heard = self._dense(f"{name}.attention.output.dense", heard)
        state = self._norm(f"{name}.attention.output.LayerNorm", self._node("Add", [heard, state]))
        wide = self._gelu(self._dense(f"{name}.intermediate.dense", state, D, 4 * D))
        wide = self._dense(f"{name}.output.dense", wide, 4 * D, D)
        return self._norm(f"{name}.output.LayerNorm", self._node("Add", [wide, state]))

    def _gelu(self, value: str) -> str:
        part = self._node("Div", [value, self._number(np.float32(2**0.5))])
        part = self._node("Add", [self._node("Erf", [part]), self._number(np.float32(1))])
        half = self._node("Mul", [value, self._number(np.float32(0.5))])
        return self._node("Mul", [half, part])
