"""A hostile endpoint: every answer ends as an error of its kind, within its time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import _asking
import msgspec
import pytest
from _asking import CALL, ask
from _calls import ask as ask_all
from _calls import one
from _hostile import (
    BODIES,
    DRIPS,
    JSON,
    PAUSES,
    Hostile,
    chat,
    failed,
    once,
)

from hdlgraph.errors import CallError, ErrorKind
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.index.embed import endpoint
from hdlgraph.llm.call import Call
from hdlgraph.llm.client import Client
from hdlgraph.llm.endpoint import bounds, context, health
from hdlgraph.llm.endpoint.bounds import answer_s, misshaped
from hdlgraph.llm.endpoint.health import Health
from hdlgraph.llm.endpoint.retry import MOST_PAUSE_S, Failure
from hdlgraph.settings.records import LlmSettings

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
    assert len(outcomes) == 3 * len(names)
    assert "answer" not in {one["kind"] for one in outcomes}
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
    started = time.process_time()
    misshaped(b"{" * 100 + b'"' + b'\\"' * 500_000)  # a text without its end
    assert time.process_time() - started < 2


@pytest.mark.parametrize("fault", PAUSES)
@pytest.mark.parametrize("way", _asking.WAYS)
def test_an_endpoint_that_asks_for_a_longer_pause_is_down(fault: str, way: str) -> None:
    with Hostile(PAUSES[fault]) as server:
        found = ask(way, server.base_url, 5.0)
    assert found["kind"] in ("server", "EndpointError", "HdlgraphError")
    assert "a run waits 120 s at most" in found["message"]
    assert found["seconds"] < 3
    assert sum(server.asked.values()) <= 2


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
    assert found["kind"] in ("server", "unreachable")
    assert found["seconds"] < 5


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
    assert verdict is not None
    assert "of pauses in a row" in verdict.message
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
    assert "redirects; set llm.base_url" in found["message"]
    assert sum(server.asked.values()) == 1
