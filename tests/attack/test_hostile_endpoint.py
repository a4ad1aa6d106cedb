"""A hostile endpoint: every answer ends as an error of its kind, within its time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import _asking
import msgspec
import pytest
from _asking import CALL, ask
from _calls import ask as ask_all
from _calls import client, one, settings
from _hostile import (
    BODIES,
    DRIPS,
    JSON,
    OK,
    PAUSES,
    SSE,
    Hostile,
    chat,
    event,
    failed,
    for_ever,
    once,
)
from hdlgraph.eval.stubs.faults import HOSTILE, always, first
from hdlgraph.eval.stubs.server import Stub, quarter

from hdlgraph.errors import CallError, EndpointError, ErrorKind, UsageError
from hdlgraph.index.embed import endpoint
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.batch import api as batch_api
from hdlgraph.llm.batch.model import BatchModel
from hdlgraph.llm.call import Call
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.endpoint import bounds, context, health
from hdlgraph.llm.endpoint.bounds import answer_s, misshaped
from hdlgraph.llm.endpoint.health import Health
from hdlgraph.llm.endpoint.retry import MOST_PAUSE_S, Failure
from hdlgraph.llm.spend import Spending
from hdlgraph.llm.structured import parse_json
from hdlgraph.settings.records import EmbeddingSettings, LlmSettings

TIMEOUT_S = 0.2  # so a whole answer may take a second
SLOW_S = 8.0  # for the work on an answer, on a slow machine
MOST_MB = 300.0
LONG = {"endless 100 Continue"}  # seconds of work; the campaign has it
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


# Too much, too long


@pytest.mark.parametrize("fault", [fault for fault in BODIES if fault not in LONG])
def test_an_answer_that_is_too_much_ends_soon(fault: str) -> None:
    with Hostile(BODIES[fault]) as server:
        for way in ("complete", "stream"):
            found = ask(way, server.base_url, TIMEOUT_S)
            assert found["kind"] in ENDS, found
            assert server.base_url in found["message"]
            assert found["seconds"] < 3 * answer_s(TIMEOUT_S) + SLOW_S


@pytest.mark.parametrize(
    ("fault", "way", "told"),
    [
        ("endless body", "complete", "sent more than 8.39 MB in one answer"),
        ("gzip bomb", "complete", "sent more than 8.39 MB in one answer"),
        ("gzip bomb, stream", "stream", "sent more than 1.05 MB in one event of a stream"),
        ("gzip twice", "complete", "packs its answer in a way that was not asked for: 'gzip, g"),
        ("brotli", "stream", "packs its answer in a way that was not asked for: 'br'"),
        ("endless headers", "complete", "sent no HTTP answer: Too many headers"),
        ("endless line", "stream", "sent more than 1.05 MB in one event of a stream"),
        ("endless lines of an event", "stream", "sent more than 1.05 MB in one event"),
        ("endless comments", "stream", "sent more than 8.4 MB in one answer"),
        ("deep JSON", "complete", "sent JSON nested deeper than 64 levels"),
        ("tiny choices in 1 MB", "complete", "sent more than 200000 values in one answer"),
        ("long text", "complete", "longer than 100256 characters for 4 tokens"),
        ("endless pieces", "stream", "longer than 100256 characters for 4 tokens"),
        ("codec of Python's", "complete", "answered 400"),
        ("endless error", "complete", "answered 400: why why"),
        ("deep JSON, error", "complete", "answered 500"),
        ("dripping body", "complete", "did not finish its answer within 1 s; raise llm.timeout_s"),
        ("dripping headers", "stream", "did not finish its answer within 1 s; raise llm.timeout_s"),
    ],
)
def test_one_message_says_what_is_wrong(fault: str, way: str, told: str) -> None:
    with Hostile({**BODIES, **DRIPS}[fault]) as server:
        found = ask(way, server.base_url, TIMEOUT_S)
    assert told in found["message"], found
    assert found["message"].startswith(f"fifo.sv: openai {server.base_url}")


def test_an_answer_that_drips_ends_when_its_time_is_over() -> None:
    def asked(fault: str, way: str) -> None:
        with Hostile(DRIPS[fault]) as server:
            found = ask(way, server.base_url, 0.5)
        ends = ("timeout", "truncated", "EndpointError", "HdlgraphError")
        assert found["kind"] in ends, (fault, found)
        assert "did not finish its answer within" in found["message"], (fault, found)
        assert found["seconds"] < answer_s(0.5) + SLOW_S, (fault, found)
        assert sum(server.asked.values()) == 1  # what is too slow once is so again

    pairs = [(fault, way) for fault in DRIPS for way in _asking.WAYS]
    with ThreadPoolExecutor(len(pairs)) as pool:
        for done in [pool.submit(asked, *pair) for pair in pairs]:
            done.result()


def test_the_time_of_an_answer_grows_with_its_tokens() -> None:
    assert answer_s(120) == answer_s(120, 1200) == 600
    assert answer_s(120, 32_000) == 8000


def test_memory_stays_bounded() -> None:
    names = ("gzip bomb", "gzip bomb, stream", "tiny choices in 1 MB", "tiny tool calls")
    with ExitStack() as opened:
        quiet = opened.enter_context(Stub(count=quarter, dim=8))
        servers = {name: opened.enter_context(Hostile(BODIES[name])) for name in names}
        asked = [f"{name}={server.base_url}" for name, server in servers.items()]
        ways = "complete,stream,embeddings"
        command = [sys.executable, _asking.__file__, ways, "1", quiet.base_url, *asked]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == 3 * len(names) and "answer" not in {one["kind"] for one in outcomes}
    assert max(one["mb"] for one in outcomes) < MOST_MB, outcomes


@pytest.mark.parametrize("way", ["complete", "stream"])
def test_limits_hold_behind_a_proxy(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for fault, told in {
        "gzip bomb": "MB in one",
        "gzip twice": "in a way that was not asked for",
        "dripping headers": "did not finish its answer within 1 s",
        "dripping body": "did not finish its answer within 1 s",
    }.items():
        with Hostile({**BODIES, **DRIPS}[fault]) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.base_url.removesuffix("/v1"))
            found = ask(way, "http://model.invalid/v1", TIMEOUT_S)
        assert told in found["message"], found
        assert sum(proxy.asked.values()) >= 1


def test_calls_under_way_at_once_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from hdlgraph.llm.endpoint import body as intake

    monkeypatch.setattr(intake, "MOST_HELD", 3 << 20)
    calls = [_call(n) for n in range(8)]
    with Hostile(once(JSON, lambda: b" " * (1 << 20))) as server:
        llm = LlmSettings(provider="openai", base_url=server.base_url, retries=0)
        found = ask_all(Client(llm), *calls)
    assert {error.kind for error in found} == {"server"}  # type: ignore[union-attr]


def test_a_packed_answer_is_an_answer() -> None:
    import gzip
    import zlib

    body = chat("A fifo.")()
    raw = zlib.compressobj(wbits=-15)
    for name, packed in {
        b"gzip": gzip.compress(body),
        b"deflate": zlib.compress(body),
        b"Deflate": raw.compress(body) + raw.flush(),
        b"identity": body,
    }.items():
        head = JSON + b"Content-Encoding: " + name + b"\r\n"
        with Hostile(once(head, lambda packed=packed: packed)) as server:  # type: ignore[misc]
            assert ask("complete", server.base_url, 5.0)["message"] == "A fifo."
    large = json.dumps({"choices": [{"message": {"content": "a"}}], "pad": "b" * 3_000_000})
    packed = gzip.compress(large.encode())
    with Hostile(once(JSON + b"Content-Encoding: gzip\r\n", lambda: packed)) as server:
        assert ask("complete", server.base_url, 5.0)["message"] == "a"


def test_depth_is_counted_outside_of_texts() -> None:
    text = json.dumps({"a": "[{" * 500 + '"\\' * 9})
    assert misshaped(text.encode()) == ""
    assert misshaped(b'{"a":' * bounds.MOST_DEPTH + b"1" + b"}" * bounds.MOST_DEPTH) == ""
    assert "deeper" in misshaped(b'{"a":' * (bounds.MOST_DEPTH + 1))
    started = time.monotonic()
    misshaped(b"{" * 100 + b'"' + b'\\"' * 500_000)  # a text without its end
    assert time.monotonic() - started < 2


# Pauses and places


@pytest.mark.parametrize("fault", PAUSES)
@pytest.mark.parametrize("way", _asking.WAYS)
def test_an_endpoint_that_asks_for_a_longer_pause_is_down(fault: str, way: str) -> None:
    with Hostile(PAUSES[fault]) as server:
        found = ask(way, server.base_url, 5.0)
    assert found["kind"] in ("server", "EndpointError", "HdlgraphError")
    assert "a run waits 120 s at most" in found["message"]
    assert found["seconds"] < 3 and sum(server.asked.values()) <= 2


def test_no_further_call_is_sent_to_an_endpoint_that_is_down() -> None:
    with Hostile(PAUSES["pause of days"]) as server:
        model = Client(LlmSettings(provider="openai", base_url=server.base_url))
        kinds = []
        for n in range(4):
            with pytest.raises(CallError, match="asks to wait 864000 s") as caught:
                one(model, _call(n))
            kinds.append(caught.value.kind)
    assert kinds == ["server", "stopped", "stopped", "stopped"]
    assert sum(server.asked.values()) == 1


@pytest.mark.parametrize("value", [b"-5", b"nan", b"inf", b"1e999", b"soon", b"\xff", b"9" * 5000])
def test_a_pause_that_is_none_is_not_waited_for(value: bytes) -> None:
    with Hostile(failed(b"503 Later", b"Retry-After: " + value)) as server:
        found = ask("complete", server.base_url, 5.0)
    assert found["kind"] in ("server", "unreachable") and found["seconds"] < 5


def test_pauses_without_an_answer_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Health("openai http://h", 4)
    asks = Failure(ErrorKind.RATE, "429", again=True, pause_s=MOST_PAUSE_S)
    clock = [0.0]
    monkeypatch.setattr(health.time, "monotonic", lambda: clock[0])
    while state.verdict("m") is None and clock[0] < 10 * health.MOST_PAUSED_S:
        state.failed_once(asks)
        clock[0] += state.pause_s()
    assert clock[0] <= health.MOST_PAUSED_S
    verdict = state.verdict("m")
    assert verdict is not None and "of pauses in a row" in verdict.message
    clock[0] += health.REST_S + 1
    assert state.verdict("m") is None  # it gets another chance
    for _ in range(20):
        state.failed_once(asks)
        state.done("m")
    assert state.verdict("m") is None


@pytest.mark.parametrize("way", _asking.WAYS)
def test_endless_redirects_are_not_followed(way: str) -> None:
    here = once(
        b"HTTP/1.1 307 Go\r\nLocation: /v1/chat/completions\r\nConnection: close\r\n", lambda: b""
    )
    with Hostile(here) as server:
        found = ask(way, server.base_url, 5.0)
    assert "redirects; set llm.base_url" in found["message"] and sum(server.asked.values()) == 1


# Values that no model gives


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
            assert 150 <= total.input_tokens <= 300 and 1 <= total.output_tokens <= 50


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
        with pytest.raises(ValueError):
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


# Lists of models


def test_an_endless_list_of_models_tells_nothing() -> None:
    unknown = failed(b"404 No", body=lambda: b'{"error":{"message":"no such model"}}')
    for block in (b'{"id":"m"},', b"a"):
        listing = for_ever(JSON, b'\r\n{"data":[{"id":"', block=block)
        with Hostile(unknown, listing) as server:
            found = ask("doctor", server.base_url, 1.0)
        assert "no such model" in found["message"] and found["seconds"] < 6


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
    assert "and 988 more" in told and len(told) < 600


@pytest.mark.parametrize("told", [10**30, -5, True, "8192", 8192.5, [[]], None])
def test_a_context_that_cannot_be_is_not_believed(told: object) -> None:
    from hdlgraph.llm.endpoint.endpoint import Endpoint

    data = json.dumps({"data": [{"id": "m", "max_model_len": told}]}).encode()
    with Hostile(once(JSON, lambda: data)) as server:
        context.offered.cache_clear()
        context.told_context.cache_clear()
        assert context.told_context(Endpoint("openai", server.base_url, "unused"), "m") == 0


# Embeddings


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
    assert server.base_url in str(caught.value) and "embedding.model" in str(caught.value)


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


# Batches


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
    assert caught.value.kind == "server" and server.base_url in str(caught.value)
    store.close()
