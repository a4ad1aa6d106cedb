"""What doctor learns of the models, and that wrong settings end before anything is spent."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hdlgraph.errors import EndpointError
from hdlgraph.eval.stubs.faults import always
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.embed.embedder import load_embedder
from hdlgraph.llm.endpoint import context
from hdlgraph.llm.endpoint.checkup import check_models
from hdlgraph.llm.endpoint.context import context_tokens, served_context
from hdlgraph.llm.endpoint.endpoint import find_endpoint
from hdlgraph.llm.endpoint.probe import probe
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.records import EmbeddingSettings, LlmSettings, Settings

SOC = Path(__file__).parents[1] / "designs" / "soc"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    context.served_context.cache_clear()
    context.offered.cache_clear()


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(models=("small", "large"), context_tokens=32768) as server:
        yield server


def settings(stub: Stub, **more) -> Settings:
    values = {"build_model": "small", "query_model": "large", "retries": 0} | more
    llm = LlmSettings(provider="openai", base_url=stub.base_url, **values)
    return Settings(llm=llm, embedding=EmbeddingSettings(provider="none"))


def check(stub: Stub, **more) -> list[dict]:
    return list(check_models(settings(stub, **more)))


def test_nothing_configured() -> None:
    (line,) = check_models(Settings())
    assert (line["state"], line["remedy"]) == ("ok", "")
    assert line["detail"].startswith("none configured")


def test_one_call_to_each_model(stub: Stub) -> None:
    build, query = check(stub, build_input_price=0.4, build_output_price=1.6)
    assert (build["name"], query["name"]) == ("build model", "query model")
    assert {build["state"], query["state"]} == {"ok"}
    for part in ("streams", "obeys a JSON schema", "context 32768 tokens"):
        assert part in build["detail"]
        assert part in query["detail"]
    assert re.search(r"answered in \d+\.\d\d s", build["detail"])
    assert "price 0.4 + 1.6 USD per million tokens" in build["detail"]
    assert "llm.query_input_price" in query["detail"]
    assert stub.paths["chat"] == 2
    assert [body["model"] for body in stub.requests] == ["small", "large"]
    assert stub.input_tokens + stub.output_tokens < 100


def test_one_model_for_both_is_asked_once(stub: Stub) -> None:
    (line,) = check(stub, query_model="small")
    assert line["name"] == "language model"
    assert stub.paths["chat"] == 1


def test_json_object_where_a_schema_is_refused(stub: Stub) -> None:
    stub.structured = ["json_object", "text"]
    stub.reply = lambda body: {"blue": True}
    (line,) = check(stub, query_model="small")
    assert line["state"] == "ok"
    assert "JSON object (no schema)" in line["detail"]
    assert stub.paths["chat"] == 2  # the second because the first was refused


def test_no_json_mode(stub: Stub) -> None:
    stub.structured = ["text"]
    stub.reply = lambda body: '```json\n{"blue": true}\n```'
    (line,) = check(stub, query_model="small")
    assert line["state"] == "ok"
    assert "when asked in words" in line["detail"]
    stub.reply = lambda body: "Yes, on a fine day."
    (line,) = check(stub, query_model="small")
    assert line["state"] == "warn"
    assert "larger model" in line["remedy"]


def test_a_schema_that_is_ignored(stub: Stub) -> None:
    stub.reply = lambda body: "Yes, on a fine day."
    (line,) = check(stub, query_model="small")
    assert line["state"] == "warn"
    assert "accepts a JSON schema and ignores it" in line["detail"]
    assert line["remedy"] == "set llm.structured: text"


def test_parameters_that_a_model_refuses(stub: Stub) -> None:
    stub.refused = ["max_tokens", "temperature", "stream_options"]
    (line,) = check(stub, query_model="small")
    assert line["state"] == "ok"
    assert "streams" in line["detail"]


def test_context(stub: Stub) -> None:
    (line,) = check(stub, query_model="small", context_tokens=100_000)
    assert line["state"] == "warn"
    assert "set llm.context_tokens: 32768" in line["remedy"]
    context.offered.cache_clear(), context.served_context.cache_clear()
    stub.context_tokens = 2048
    (line,) = check(stub, query_model="small")
    assert line["state"] == "warn"
    assert "2048 tokens is short" in line["detail"]
    context.offered.cache_clear(), context.served_context.cache_clear()
    stub.context_tokens = 0
    (line,) = check(stub, query_model="small")
    assert line["state"] == "ok"
    assert "context not told (8192 assumed" in line["detail"]


def test_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = check_models(Settings(llm=LlmSettings(provider="openai")))
    assert line["state"] == "fail"
    assert "OPENAI_API_KEY is not set" in line["detail"]


def test_wrong_key(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-1234")
    stub.key = "sk-right"
    line = check(stub)[0]
    assert line["state"] == "fail"
    assert "correct the key in OPENAI_API_KEY" in line["remedy"]
    assert "sk-wrong" not in str(line)


def test_unknown_model(stub: Stub) -> None:
    line, _ = check(stub, build_model="smal")
    assert line["state"] == "fail"
    assert line["remedy"] == "set llm.build_model to a model that it has: it offers small, large"


def test_unreachable(stub: Stub) -> None:
    llm = LlmSettings(provider="openai", base_url="http://127.0.0.1:9/v1", retries=0)
    line = next(check_models(Settings(llm=llm)))
    assert line["state"] == "fail"
    assert "cannot reach" in line["detail"]
    assert "llm.base_url" in line["remedy"]


@pytest.mark.parametrize("fault", ["500", "quota", "garbage", "empty", "refusal", "truncate"])
def test_faults_are_told(stub: Stub, fault: str) -> None:
    stub.faults = always(fault)
    line = check(stub)[0]
    assert line["state"] == "fail"
    assert line["remedy"]


def test_a_server_that_does_not_stream() -> None:
    answer = {"choices": [{"message": {"content": '{"blue": true}'}, "finish_reason": "stop"}]}
    with serving({"/v1/chat/completions": answer}) as base:
        llm = LlmSettings(provider="openai", base_url=base)
        found = probe(find_endpoint(llm), llm, "m")
    assert found.failure is None
    assert not found.streams
    assert found.obeyed


@contextmanager
def serving(answers: dict[str, dict]) -> Iterator[str]:
    """Yields the address of a server that has these answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            found = answers.get(self.path)
            data = json.dumps(found or {}).encode()
            self.send_response(200 if found is not None else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *args) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def listing(**entry) -> dict:
    return {"object": "list", "data": [{"id": "m", "object": "model", **entry}]}


OLLAMA = {"/v1/models": listing(owned_by="library")}
SHOWN = {"model_info": {"general.architecture": "llama", "llama.context_length": 131072}}


@pytest.mark.parametrize(
    ("answers", "tokens"),
    [
        ({"/v1/models": listing(max_model_len=16384, owned_by="vllm")}, 16384),
        ({"/v1/models": listing(context_length=200_000)}, 200_000),
        ({"/v1/models": listing(owned_by="llamacpp", meta={"n_ctx_train": 4096})}, 4096),
        (
            {
                "/v1/models": listing(owned_by="llamacpp", meta={"n_ctx_train": 4096}),
                "/props": {"default_generation_settings": {"n_ctx": 2048}},
            },
            2048,
        ),
        (OLLAMA | {"/api/show": SHOWN}, 4096),
        (OLLAMA | {"/api/show": SHOWN | {"parameters": "num_ctx    16384\nstop  x"}}, 16384),
        (
            OLLAMA
            | {"/api/show": SHOWN, "/api/ps": {"models": [{"name": "m", "context_length": 8000}]}},
            8000,
        ),
        ({"/v1/models": listing(owned_by="openai")}, 0),
        ({"/v1/models": {"data": [{"id": "other", "max_model_len": 5}, {"id": "more"}]}}, 0),
        ({"/v1/models": {"data": "nonsense"}}, 0),
        ({"/v1/models": listing(max_model_len="many")}, 0),
        ({}, 0),
    ],
)
def test_context_as_servers_tell_it(answers: dict, tokens: int) -> None:
    with serving(answers) as base:
        llm = LlmSettings(provider="openai", base_url=base)
        endpoint = find_endpoint(llm)
        assert served_context(endpoint, "m") == tokens
        assert context_tokens(endpoint, llm, "m") == (tokens or 8192)
        assert context_tokens(endpoint, replace(llm, context_tokens=999), "m") == 999
    assert served_context(endpoint, "m") == tokens  # remembered


# Wrong settings, through the command line: one message, exit code 2, no call answered.


def write_settings(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(f"hdlgraph:\n{text}")
    return path


def llm_lines(stub: Stub, **more) -> str:
    values = {"provider": "openai", "base_url": stub.base_url, "build_model": "small"} | more
    return "  llm:\n" + "".join(f"    {name}: {value}\n" for name, value in values.items())


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    shutil.copytree(SOC, tmp_path / "soc")
    return tmp_path / "soc"


def refused(repo: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Runs `index` with settings that must be refused; returns the message."""
    path = write_settings(repo.parent, text)
    code = run(["index", str(repo), "--settings", str(path), "--graphrag", "never", *options])
    errors = capsys.readouterr().err
    assert code == 2, errors
    assert len(errors.strip().split("\n\n")) == 1
    assert "Traceback" not in errors
    assert not (repo / ".hdlgraph" / "manifest.json").exists()
    return " ".join(errors.split())


MODEL = ("--explain", "model", "--no-embeddings")


def test_index_without_a_key(repo: Path, capsys) -> None:
    message = refused(repo, "  llm:\n    provider: openai\n", capsys, *MODEL)
    assert "OPENAI_API_KEY is not set" in message


def test_index_with_a_wrong_key(stub: Stub, repo: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-1234")
    stub.key = "sk-right"
    message = refused(repo, llm_lines(stub), capsys, *MODEL)
    assert "check the key in OPENAI_API_KEY" in message
    assert "sk-" not in message
    assert stub.answered == 0
    assert stub.paths["chat"] <= 1


def test_index_with_an_unknown_model(stub: Stub, repo: Path, capsys) -> None:
    message = refused(repo, llm_lines(stub, build_model="tiny"), capsys, *MODEL)
    assert "'tiny'" in message
    assert stub.answered == 0
    assert stub.paths["chat"] <= 1


def test_index_with_a_limit_and_no_price(stub: Stub, repo: Path, capsys) -> None:
    message = refused(repo, llm_lines(stub), capsys, *MODEL, "--max-cost", "1")
    assert "llm.build_input_price" in message
    assert stub.paths["chat"] == 0


def test_index_with_a_wrong_dimension(stub: Stub, repo: Path, capsys) -> None:
    text = llm_lines(stub) + "  embedding:\n    provider: openai\n    model: e\n    dim: 5\n"
    message = refused(repo, text, capsys, "--explain", "model")
    assert "vectors of length 8, embedding.dim is 5: set embedding.dim: 8" in message
    assert stub.paths["chat"] == 0


# The embedding endpoint.


def embedding(stub: Stub, **more) -> Settings:
    values = {"provider": "openai", "model": "e", "dim": 8, "api_base": stub.base_url} | more
    return Settings(embedding=EmbeddingSettings(**values))


def doctor_line(tmp_path: Path, chosen: Settings, name: str) -> dict:
    return next(c for c in Project(tmp_path, settings=chosen).doctor() if c["name"] == name)


def test_doctor_asks_the_embedding_endpoint(stub: Stub, tmp_path: Path) -> None:
    line = doctor_line(tmp_path, embedding(stub), "embedding model")
    assert line["state"] == "ok"
    assert "vectors of 8 numbers" in line["detail"]
    assert stub.paths["embeddings"] == 1
    line = doctor_line(tmp_path, embedding(stub, dim=384), "embedding model")
    assert line["state"] == "fail"
    assert "set embedding.dim: 8" in line["detail"]


def test_embeddings_take_the_language_model_s_endpoint(
    stub: Stub, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-mine")
    stub.key = "sk-mine"
    chosen = replace(
        embedding(stub, api_base=""), llm=settings(stub, key_env="MY_KEY", build_model="large").llm
    )
    found = {c["name"]: c for c in Project(tmp_path, settings=chosen).doctor()}
    assert found["embedding model"]["state"] == found["language model"]["state"] == "ok"
    # A key is not sent to another endpoint than it was named for.
    line = doctor_line(
        tmp_path, replace(chosen, embedding=embedding(stub).embedding), "embedding model"
    )
    assert line["state"] == "fail"
    assert "OPENAI_API_KEY" in line["detail"]


def test_azure(stub: Stub, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-key")
    stub.key = "azure-key"
    base = stub.base_url.removesuffix("/v1")
    llm = replace(settings(stub, query_model="small").llm, provider="azure", base_url=base)
    chosen = replace(embedding(stub, api_base=""), llm=llm)
    found = {c["name"]: c for c in Project(tmp_path, settings=chosen).doctor()}
    assert found["embedding model"]["state"] == found["language model"]["state"] == "ok"
    assert "context not told" in found["language model"]["detail"]
    assert stub.paths["models"] == 0  # Azure lists what could be deployed, not what is


def test_doctor_through_the_command_line(stub: Stub, tmp_path: Path, capsys) -> None:
    path = write_settings(tmp_path, llm_lines(stub, query_model="lage"))
    code = run(["doctor", str(tmp_path), "--settings", str(path), "--json"])
    checks = {c["name"]: c for c in json.loads(capsys.readouterr().out)["checks"]}
    assert code == 1
    assert checks["build model"]["state"] == "ok"
    assert checks["query model"]["state"] == "fail"
    assert "large" in checks["query model"]["remedy"]


def test_a_dead_embedding_endpoint_is_given_up_soon_for_a_question() -> None:
    chosen = EmbeddingSettings(provider="openai", model="e", api_base="http://127.0.0.1:9/v1")
    embedder = load_embedder(Settings(embedding=chosen))
    assert embedder is not None
    started = time.perf_counter()
    with pytest.raises(EndpointError, match=r"http://127\.0\.0\.1:9/v1 failed: cannot reach"):
        embedder.embed(["fifo"], query=True)
    assert time.perf_counter() - started < 5
