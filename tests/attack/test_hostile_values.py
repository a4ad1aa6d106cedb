"""Values in the answers of a hostile endpoint: counts, names, vectors, batches."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest
from _asking import CALL, ask
from _calls import client, one, settings
from _hostile import (
    DRIPS,
    JSON,
    OK,
    SSE,
    Hostile,
    event,
    failed,
    for_ever,
    once,
)

from hdlgraph.errors import CallError, EndpointError, UsageError
from hdlgraph.eval.stubs.faults import HOSTILE, always, first
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.index.embed import endpoint
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.batch import api as batch_api
from hdlgraph.llm.batch.model import BatchModel
from hdlgraph.llm.call import Call
from hdlgraph.llm.client import run
from hdlgraph.llm.endpoint import context
from hdlgraph.llm.spend import Spending
from hdlgraph.llm.structured import parse_json
from hdlgraph.settings.records import EmbeddingSettings, LlmSettings

TIMEOUT_S = 0.2  # so a whole answer may take a second
SLOW_S = 8.0  # for the work on an answer, on a slow machine
ENDS = {"server", "timeout", "truncated", "unreachable", "request", "EndpointError"}


@pytest.fixture(autouse=True)
def _clean(no_keys: None) -> None:
    pass


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undoes what `_asking` sets."""
    monkeypatch.setattr(endpoint, "TIMEOUT_S", endpoint.TIMEOUT_S)
    monkeypatch.setattr(endpoint, "BACKOFF_S", endpoint.BACKOFF_S)
    monkeypatch.setattr(context, "WHOLE_S", context.WHOLE_S)


def _call(number: int, **changes: object) -> Call:
    return msgspec.structs.replace(CALL, **{"user": f"Explain {number}.", **changes})


@pytest.mark.parametrize("fault", HOSTILE)
def test_hostile_values_are_an_answer_or_an_error(fault: str) -> None:
    with Stub(faults=always(fault), count=quarter) as stub:
        for way in ("complete", "stream", "doctor"):
            found = ask(way, stub.base_url, 5.0)
            kinds = ("answer", "server", "empty", "truncated", "HdlgraphError")
            assert found["kind"] in kinds, found
            odd = [c for c in found["message"] if not c.isprintable() or "\ud800" <= c <= "\udfff"]
            assert odd == [], found


@pytest.mark.parametrize("fault", [fault for fault in HOSTILE if fault.startswith("usage")])
def test_counts_that_cannot_be_are_counted_here(fault: str, tmp_path: Path) -> None:
    with Stub(faults=always(fault), count=quarter) as stub:
        asked = _call(1, user="signal " * 200, max_tokens=50)
        for way in ("complete", "stream"):
            meter = Spending(settings(stub), max_tokens=1000)
            model = client(stub, None, meter)
            _ = one(model, asked) if way == "complete" else list(model.stream(asked))
            total = meter.total()
            assert 150 <= total.input_tokens <= 300
            assert 1 <= total.output_tokens <= 50


def test_names_and_texts_are_cleaned(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite")
    with Stub(faults=first("content-control", "model-long", "content-half")) as stub:
        model = client(stub, store)
        answers = [one(model, _call(n)) for n in range(3)]
    assert answers[0].text == "a b [31m c "  # no words grow together
    assert answers[1].model == "m"
    assert answers[2].text == "fifo ? ok"
    store.close()


def test_damaged_objects_are_read_in_seconds() -> None:
    texts = ('{"' * 200_000, "{'a'" * 100_000, "```{" * 100_000, '{"a":(' * 60_000, "[" * 400_000)
    started = time.monotonic()
    for text in texts:
        with pytest.raises(ValueError):  # noqa: PT011
            parse_json(text[:400_000])
    assert time.monotonic() - started < 10
    deep = '{"a":' * 300 + "1" + "}" * 300
    with pytest.raises(ValueError, match="nested too deep"):
        parse_json(deep)


def test_an_error_in_a_stream_tells_its_words() -> None:
    told = once(SSE, event(lambda: b'{"error":{"message":"the card is too hot"}}'))
    with Hostile(told) as server:
        assert (
            "broke its answer off: the card is too hot"
            in (ask("stream", server.base_url, 5.0)["message"])
        )


def test_an_endless_list_of_models_tells_nothing() -> None:
    unknown = failed(b"404 No", body=lambda: b'{"error":{"message":"no such model"}}')
    for block in (b'{"id":"m"},', b"a"):
        listing = for_ever(JSON, b'\r\n{"data":[{"id":"', block=block)
        with Hostile(unknown, listing) as server:
            found = ask("doctor", server.base_url, 1.0)
        assert "no such model" in found["message"]
        assert found["seconds"] < 6


def test_names_of_models_are_compared_in_seconds() -> None:
    from hdlgraph.llm.endpoint.endpoint import Endpoint
    from hdlgraph.llm.endpoint.probe import suggestion

    names = [f"{'m' * 90}{n}" for n in range(20_000)] + ["x" * 100_000, 7, [[]], ""]
    data = json.dumps({"data": [{"id": name} for name in names]}).encode()
    context.offered.cache_clear()
    with Hostile(once(JSON, lambda: data)) as server:
        started = time.monotonic()
        told = suggestion(Endpoint("openai", server.base_url, "unused"), "m" * 60)
        assert time.monotonic() - started < 10
    assert "and 988 more" in told
    assert len(told) < 600


@pytest.mark.parametrize("told", [10**30, -5, True, "8192", 8192.5, [[]], None])
def test_a_context_that_cannot_be_is_not_believed(told: object) -> None:
    from hdlgraph.llm.endpoint.endpoint import Endpoint

    data = json.dumps({"data": [{"id": "m", "max_model_len": told}]}).encode()
    with Hostile(once(JSON, lambda: data)) as server:
        context.offered.cache_clear()
        context.served_context.cache_clear()
        assert context.served_context(Endpoint("openai", server.base_url, "unused"), "m") == 0


def _vectors(*rows: str) -> bytes:
    items = ",".join(f'{{"index":{n},"embedding":{row}}}' for n, row in enumerate(rows))
    return f'{{"data":[{items}]}}'.encode()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (_vectors("[NaN,1]", "[1,1]"), "answered no vectors"),
        (_vectors("[Infinity,1]", "[1,1]"), "answered no vectors"),
        (_vectors("[1e999,1]", "[1,1]"), "answered no vectors"),
        (_vectors("[1e308,1]", "[1,1]"), "answered numbers beyond 1e"),
        (_vectors("[-1e38,1]", "[1,1]"), "answered numbers beyond 1e"),
        (_vectors('["1",1]', "[1,1]"), "answered no vectors"),
        (_vectors("[[1],1]", "[1,1]"), "answered no vectors"),
        (_vectors("null", "[1,1]"), "answered no vectors"),
        (_vectors('"AACAPw=="', "[1,1]"), "answered no vectors"),
        (_vectors("[1,1]"), "answered 1 vectors for 2 texts"),
        (_vectors("[1,1]", "[1,1]", "[1,1]"), "answered 3 vectors for 2 texts"),
        (_vectors("[1,1]", "[1]"), r"answered vectors of lengths \[1, 2\]"),
        (_vectors("[1,1]", "[1,1]").replace(b'"index":1', b'"index":9'), "numbers its vectors"),
        (b'{"data":7}', "answered no vectors"),
        (b"[]", "answered no vectors"),
        (b"[" * 200_000, "nested deeper than 64 levels"),
    ],
)
def test_vectors_of_no_use_are_refused(body: bytes, told: str) -> None:
    embedding = EmbeddingSettings(provider="openai", model="m", dim=2)
    with Hostile(once(JSON, lambda: body)) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url)
        embedder = endpoint.EndpointEmbedder(embedding, llm)
        with pytest.raises(EndpointError, match=told) as caught:
            embedder.embed(["a", "b"])
    assert server.base_url in str(caught.value)
    assert "embedding.model" in str(caught.value)


def test_vectors_of_another_length_name_it() -> None:
    body = _vectors(str([0.5] * 4096))
    with Hostile(once(JSON, lambda: body)) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url)
        embedder = endpoint.EndpointEmbedder(EmbeddingSettings(dim=2), llm)
        with pytest.raises(UsageError, match=r"set embedding\.dim: 4096"):
            embedder.embed(["a"])


def test_a_question_waits_less_for_its_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "TIMEOUT_S", 0.5)
    with Hostile(DRIPS["dripping body"]) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url)
        embedder = endpoint.EndpointEmbedder(EmbeddingSettings(dim=2), llm)
        with pytest.raises(EndpointError, match=r"within 0\.5 s"):
            embedder.embed(["a"], query=True)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"custom_id": "x"}\n', "more than"),
        (b"a", "in one line of a file"),
    ],
)
def test_an_endless_result_file_ends(
    content: bytes, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_api, "MOST_BYTES", 1 << 20)
    with Hostile(for_ever(OK, b"\r\n", block=content)) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url)
        api = batch_api.BatchApi(llm, (1e-5, 1e-5))

        async def read() -> int:
            lines = [line async for line in api.outcomes("file-1", 1)]
            return len(lines)

        with pytest.raises(CallError, match=told):
            run(read())


@pytest.mark.parametrize(
    "body",
    [
        b'{"id": 7, "status": "completed"}',
        b'{"id": "b", "status": ["completed"]}',
        b'{"id": "b", "status": "completed", "request_counts": "many"}',
        b'{"id": "b", "status": "completed", "output_file_id": {"a": 1}}',
        b'{"id": "b", "status": "failed", "errors": {"data": [7]}}',
        b'{"id": "' + b"b" * 10_000 + b'", "status": "completed"}',
        b"[" * 200_000,
        b"no JSON",
    ],
)
def test_a_batch_that_is_none_fails_its_calls(body: bytes, tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite")
    with Hostile(once(JSON, lambda: body)) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url, retries=1)
        model = BatchModel(llm, store, tmp_path / "batches.json", quiet_s=0.01, poll_s=(1e-5, 1e-5))

        async def asked() -> None:
            async with model:
                await model.complete(CALL)

        with pytest.raises(CallError) as caught:
            run(asked())
    assert caught.value.kind == "server"
    assert server.base_url in str(caught.value)
    store.close()
