"""The client against a real server on loopback: endpoint, requests, store, streams."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from _calls import SCHEMA, ask, call, client, one, settings

from hdlgraph.errors import BudgetError, CallError
from hdlgraph.eval.stubs.faults import first
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.call import Completion, Usage
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.endpoint.rate_limits import RateLimits
from hdlgraph.llm.endpoint.wire import decode, read_answer
from hdlgraph.llm.spend import Spending
from hdlgraph.settings.records import LlmSettings

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(count=quarter) as server:
        yield server


# Requests


def test_a_call_becomes_a_request(stub: Stub) -> None:
    asked = call(1, system="Be brief.", history=(("user", "a"), ("assistant", "b")), max_tokens=77)
    completion = one(client(stub), asked)
    (body,) = stub.requests
    assert body == {
        "model": "stub-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "Explain file 1."},
        ],
        "max_tokens": 77,
        "temperature": 0.0,
    }
    assert completion.finish == "stop"
    assert completion.usage == Usage(
        calls=1, input_tokens=stub.input_tokens, output_tokens=stub.output_tokens
    )


@pytest.mark.parametrize(
    ("structured", "accepted", "sent", "last"),
    [
        ("auto", ("json_schema",), ["json_schema"], "json_schema"),
        ("auto", ("json_object",), ["json_schema", "json_object"], "json_object"),
        ("auto", ("text",), ["json_schema", "json_object", None], None),
        ("schema", ("json_schema",), ["json_schema"], "json_schema"),
        ("json", ("json_object",), ["json_object"], "json_object"),
        ("text", ("text",), [None], None),
    ],
)
def test_json_is_asked_for_as_the_endpoint_takes_it(
    stub: Stub, structured: str, accepted: tuple[str, ...], sent: list[str | None], last: str | None
) -> None:
    stub.structured = (*accepted, "text")
    model = client(stub, structured=structured)
    one(model, call(1, schema=SCHEMA))
    shapes = [(body.get("response_format") or {}).get("type") for body in stub.requests]
    assert shapes == sent
    one(model, call(2, schema=SCHEMA))  # what was learnt is not asked again
    assert len(stub.requests) == len(sent) + 1
    body = stub.requests[-1]
    assert (body.get("response_format") or {}).get("type") == last
    if last == "json_schema":
        declared = body["response_format"]["json_schema"]
        assert declared == {"name": "explain", "schema": SCHEMA, "strict": True}
    else:  # the words must say what the parameter cannot
        assert json.dumps(SCHEMA["required"]) in body["messages"][-1]["content"].replace(",", ", ")


def test_a_shape_that_the_settings_demand_is_not_weakened(stub: Stub) -> None:
    stub.structured = ("text",)
    with pytest.raises(CallError, match="response_format") as caught:
        one(client(stub, structured="schema"), call(1, schema=SCHEMA))
    assert caught.value.kind == "request"
    assert stub.calls == 1


def test_refused_parameters_are_learnt_once(stub: Stub) -> None:
    stub.refused = ("max_tokens", "temperature", "stream_options")
    model = client(stub)
    one(model, call(1))
    assert stub.calls == 3
    one(model, call(2))
    assert stub.calls == 4
    body = stub.requests[-1]
    assert body["max_completion_tokens"] == 1200
    assert "max_tokens" not in body
    assert "temperature" not in body
    assert list(model.stream(call(3)))
    assert stub.calls == 6


def test_sixteen_calls_learn_together(stub: Stub) -> None:
    stub.structured, stub.latency_s = ("text",), 0.02
    answers = ask(client(stub), *(call(n, schema=SCHEMA) for n in range(16)))
    assert all(isinstance(answer, Completion) for answer in answers)
    assert stub.calls == 16 * 3


def test_no_more_calls_are_under_way_than_the_settings_say(stub: Stub) -> None:
    stub.latency_s = 0.02
    ask(client(stub, concurrency=3), *(call(n) for n in range(12)))
    assert stub.most_under_way == 3
    assert [body["messages"][0]["content"] for body in stub.requests[:3]] == [
        f"Explain file {n}." for n in range(3)
    ]


def test_tokens_are_counted_where_the_server_does_not(stub: Stub) -> None:
    stub.faults = first("nousage", "nousage")
    model = client(stub)
    for usage in (
        one(model, call(1)).usage,
        (list(model.stream(call(2))), model.last)[1].usage,  # type: ignore[union-attr]
    ):
        assert usage.input_tokens > 3
        assert usage.output_tokens > 2


def test_thoughts_are_not_part_of_an_answer(stub: Stub) -> None:
    stub.reply = lambda body: "<think>\nIs it a fifo?\n</think>\n\nIt is a fifo."
    model = client(stub)
    assert one(model, call(1)).text == "It is a fifo."
    assert "".join(model.stream(call(2))) == "It is a fifo."
    assert model.last is not None
    assert model.last.text == "It is a fifo."
    stub.reply = lambda body: "<th"
    assert "".join(model.stream(call(3))) == "<th"


def test_half_characters_do_not_lose_an_answer(store: AnswerStore) -> None:
    content = json.dumps({"choices": [{"message": {"content": "fifo \ud800 ok"}}], "usage": None})
    answer, _ = read_answer(decode(content.encode()), call(1))
    assert isinstance(answer, Completion)
    assert answer.text == "fifo ? ok"
    assert decode(b'{"a": "\xff"}') == {"a": "\ufffd"}
    store.put("a" * 32, answer)


# Streams


def test_a_stream_comes_in_pieces_and_is_stored(stub: Stub, store: AnswerStore) -> None:
    stub.reply = lambda body: "A small fifo [rtl/fifo.sv:1]."
    meter = Spending(settings(stub))
    model = client(stub, store, meter)
    pieces = list(model.stream(call(1)))
    assert len(pieces) > 2
    assert model.last == Completion(
        text="".join(pieces),
        model="stub-model",
        usage=Usage(calls=1, input_tokens=stub.input_tokens, output_tokens=stub.output_tokens),
    )
    assert list(model.stream(call(1))) == ["".join(pieces)]
    assert one(model, call(1)).stored  # both ways share their answers
    assert stub.calls == 1
    assert meter.total() == Usage(
        calls=1, stored=2, input_tokens=stub.input_tokens, output_tokens=stub.output_tokens
    )


def test_a_stream_that_nobody_reads_on_is_closed_and_counted(stub: Stub) -> None:
    stub.reply = lambda body: "word " * 2000
    stub.chunk_s = 0.005
    meter = Spending(settings(stub))
    model = client(stub, None, meter)
    pieces = model.stream(call(1))
    assert next(pieces) == "word"
    pieces.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 5
    while stub.under_way and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stub.under_way == 0  # the server noticed at once, not after ten seconds
    assert 0 < meter.total().output_tokens < 100
    assert model.last is None


# Limits, meter, loops


def test_a_budget_stops_before_a_call_is_sent(stub: Stub, store: AnswerStore) -> None:
    meter = Spending(settings(stub), max_tokens=300)
    found = ask(client(stub, store, meter, concurrency=1), *(call(n, max_tokens=80) for n in "abc"))
    assert stub.calls == 3
    assert not any(isinstance(one, Exception) for one in found)
    found = ask(client(stub, store, meter), *(call(n, max_tokens=300) for n in range(5)))
    assert all(isinstance(one, BudgetError) for one in found)
    with pytest.raises(BudgetError):
        list(client(stub, store, meter).stream(call(9, max_tokens=300)))
    assert stub.calls == 3
    assert meter.total().calls == 3


def test_failed_calls_free_their_part_of_the_budget(stub: Stub) -> None:
    stub.faults = first("overflow", "refusal")
    meter = Spending(settings(stub), max_tokens=150)
    model = client(stub, None, meter, concurrency=1)
    kinds = [
        getattr(one, "kind", "done")
        for one in ask(model, *(call(n, max_tokens=99) for n in range(3)))
    ]
    assert kinds == ["overflow", "refusal", "done"]
    assert meter.total().failed == 2


def test_requests_per_minute_are_kept(stub: Stub) -> None:
    async def pass_through(count: int, tokens: int, **rates: int) -> float:
        limits = RateLimits(LlmSettings(**rates))
        started = time.monotonic()
        for _ in range(count):
            await limits.acquire(tokens)
        return time.monotonic() - started

    assert run(pass_through(500, 10)) < 5
    # A tenth of the minute's allowance at once, then 90 % of it, evenly.
    assert run(pass_through(60, 10, requests_per_minute=600)) < 4  # not the 6 s of 60
    assert 0.2 < run(pass_through(63, 10, requests_per_minute=600)) < 4
    assert 0.2 < run(pass_through(1, 6300, tokens_per_minute=60_000)) < 4


def test_a_client_serves_one_loop_after_another(stub: Stub) -> None:
    model = client(stub)
    texts = {one(model, call(n)).text for n in range(3)}
    assert len(texts) == 3

    async def inside() -> str:  # a notebook's loop is running already
        return run(model.complete(call(5))).text

    assert asyncio.run(inside()).startswith("Stub answer")


def test_a_client_that_was_closed_opens_again_on_the_same_loop(stub: Stub) -> None:
    model = client(stub)

    async def twice() -> list[str]:
        texts = []
        for n in range(2):
            texts.append((await model.complete(call(n))).text)
            assert model._opened is not None
            await model._opened.close()  # what `run` does at its end
        return texts

    assert len(set(run(twice()))) == 2


def test_each_run_has_a_loop_of_its_own_where_graphrag_was_imported() -> None:
    program = """
import graphrag_llm, asyncio
from hdlgraph.llm.client import run
async def loop(): return asyncio.get_running_loop()
first, second = run(loop()), run(loop())
print(first is not second, first.is_closed(), second.is_closed())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True"] * 3, done.stderr


def test_connections_are_kept(stub: Stub) -> None:
    seen = set()
    stub.reply = lambda body: seen.add(len(seen)) or "x"  # type: ignore[func-returns-value]
    model = client(stub, concurrency=4)

    async def many() -> int:
        await asyncio.gather(*(model.complete(call(n)) for n in range(40)))
        session = model._opened
        assert session is not None
        pool = session.http._client._carrier._connector  # type: ignore[attr-defined]
        return sum(map(len, pool._conns.values()))

    assert run(many()) <= 4


def test_a_proxy_of_the_environment_is_used(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", stub.base_url.removesuffix("/v1"))
    llm = LlmSettings(provider="openai", base_url="http://model.invalid/v1")
    model = Client(llm)
    assert one(model, call(1)).text.startswith("Stub answer")
    assert list(model.stream(call(2)))
    assert stub.headers[0]["Host"] == "model.invalid"


def test_an_address_where_nobody_listens_fails_soon() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    llm = LlmSettings(provider="openai", base_url=address)
    model = Client(llm, backoff_s=0.01)
    started = time.monotonic()
    for attempt in (lambda: one(model, call(1)), lambda: list(model.stream(call(1)))):
        with pytest.raises(CallError, match="cannot reach") as caught:
            attempt()
        assert caught.value.kind == "unreachable"
    assert time.monotonic() - started < 5


def test_the_client_loads_nothing_before_a_call() -> None:
    code = (
        "import sys\n"
        "from hdlgraph.llm.client import Client\n"
        "from hdlgraph.llm.answers import AnswerStore\n"
        "from hdlgraph.settings.records import LlmSettings\n"
        "Client(LlmSettings(provider='openai', base_url='http://127.0.0.1:1/v1'))\n"
        "print(sorted({'openai', 'httpx', 'aiohttp', 'tiktoken', 'aiolimiter'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_closed_client_sends_nothing_more(stub: Stub) -> None:
    stub.latency_s = 0.05
    model = client(stub, concurrency=2)

    async def close_early() -> list[object]:
        waiting = [asyncio.create_task(model.complete(call(n))) for n in range(20)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        await model.close()
        return await asyncio.gather(*waiting, return_exceptions=True)

    kinds = [getattr(one, "kind", "done") for one in run(close_early())]
    assert set(kinds) == {"done", "stopped"}
    assert stub.calls <= 6
