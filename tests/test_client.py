"""The client against a real server on loopback: endpoint, requests, store, streams."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _calls import SCHEMA, ask, call, client, one, settings
from hdlgraph.eval.stub import Stub, quarter
from hdlgraph.eval.stub_faults import first

from hdlgraph.errors import BudgetError, CallError, UsageError
from hdlgraph.llm.call import Completion, Usage
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.endpoint import configured, find_endpoint
from hdlgraph.llm.limits import Limits
from hdlgraph.llm.spend import Spending
from hdlgraph.llm.store import AnswerStore
from hdlgraph.llm.wire import decode, read_answer
from hdlgraph.settings import LlmSettings

VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
)
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(count=quarter) as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    answers = AnswerStore(tmp_path / "answers.sqlite")
    yield answers
    answers.close()


# The endpoint


def test_nothing_is_configured_by_default() -> None:
    assert not configured(LlmSettings())
    with pytest.raises(UsageError, match=r"llm\.provider"):
        find_endpoint(LlmSettings())


@pytest.mark.parametrize(
    ("llm", "named"),
    [
        (LlmSettings(provider="openai"), "OPENAI_API_KEY is not set"),
        (LlmSettings(provider="openai", key_env="TEAM_KEY"), "TEAM_KEY is not set"),
        (LlmSettings(provider="azure"), "AZURE_OPENAI_ENDPOINT"),
        (
            LlmSettings(provider="azure", base_url="https://x.openai.azure.com"),
            "AZURE_OPENAI_API_KEY is not set",
        ),
        (LlmSettings(provider="openai", base_url="localhost:8000"), r"llm\.base_url"),
        (LlmSettings(provider="openai", base_url="file:///etc/passwd"), r"llm\.base_url"),
        (LlmSettings(provider="openai", base_url="http://host:port/v1"), r"llm\.base_url"),
    ],
)
def test_a_bad_endpoint_is_named_before_anything_is_sent(llm: LlmSettings, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        Client(llm)


@pytest.mark.parametrize(
    "address", ["http://me:hunter2@host/v1", "https://host/v1?key=hunter2", "http://host/#hunter2"]
)
def test_a_secret_in_the_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError, match="environment variable") as caught:
        find_endpoint(LlmSettings(provider="openai", base_url=address))
    assert "hunter2" not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nX-Evil: b")
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        find_endpoint(LlmSettings(provider="openai"))
    assert "Evil" not in str(caught.value)


def test_the_environment_names_the_address(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url + "/")
    endpoint = find_endpoint(LlmSettings(provider="openai"))
    assert endpoint.base_url == stub.base_url
    assert endpoint.label == f"openai {stub.base_url}"


def test_azure_takes_its_own_path_and_header(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> None:
    stub.key = KEY
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    llm = LlmSettings(provider="azure", base_url=stub.base_url.removesuffix("/v1"))
    model = Client(llm)
    assert one(model, call(1)).text.startswith("Stub answer")
    assert list(model.stream(call(2)))
    assert [request["model"] for request in stub.requests] == ["stub-model"] * 2


# Keys


def test_the_key_reaches_the_server_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
    stub: Stub,
    store: AnswerStore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    stub.key = "another"  # the answer to a wrong key repeats it
    monkeypatch.setenv("TEAM_KEY", KEY)
    wrong = client(stub, store, key_env="TEAM_KEY")
    told = []
    for attempt in (lambda: one(wrong, call(1)), lambda: list(wrong.stream(call(1)))):
        with pytest.raises(CallError) as caught:
            attempt()
        told.append(caught.value)
    assert [error.kind for error in told] == ["auth", "auth"]
    assert "TEAM_KEY" in str(told[0])
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    stub.key = KEY
    right = client(stub, store, key_env="TEAM_KEY")
    one(right, call(1))
    shown = [repr(right), repr(right.endpoint), right.endpoint.label, repr(vars(right)), repr(told)]
    for error in told:
        while error is not None:
            shown.append(f"{error} {error!r} {error.args}")
            error = error.__cause__ or error.__context__  # type: ignore[assignment]
    assert KEY not in "".join(shown)
    assert KEY not in caplog.text
    assert KEY.encode() not in store.path.read_bytes()


def test_a_redirect_is_not_followed(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stub.faults = first("redirect", "redirect")
    model = client(stub)
    for attempt in (lambda: one(model, call(1)), lambda: list(model.stream(call(1)))):
        with pytest.raises(CallError, match=r"redirects; set llm\.base_url") as caught:
            attempt()
        assert caught.value.kind == "request"


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
    assert "max_tokens" not in body and "temperature" not in body
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
        assert usage.input_tokens > 3 and usage.output_tokens > 2


def test_thoughts_are_not_part_of_an_answer(stub: Stub) -> None:
    stub.reply = lambda body: "<think>\nIs it a fifo?\n</think>\n\nIt is a fifo."
    model = client(stub)
    assert one(model, call(1)).text == "It is a fifo."
    assert "".join(model.stream(call(2))) == "It is a fifo."
    assert model.last is not None and model.last.text == "It is a fifo."
    stub.reply = lambda body: "<th"
    assert "".join(model.stream(call(3))) == "<th"


def test_half_characters_do_not_lose_an_answer(store: AnswerStore) -> None:
    content = json.dumps({"choices": [{"message": {"content": "fifo \ud800 ok"}}], "usage": None})
    answer, _ = read_answer(decode(content.encode()), call(1))
    assert isinstance(answer, Completion) and answer.text == "fifo ? ok"
    assert decode(b'{"a": "\xff"}') == {"a": "\ufffd"}
    store.put("a" * 32, answer)


# The store


def test_an_answer_is_paid_once(stub: Stub, store: AnswerStore, tmp_path: Path) -> None:
    fresh = one(client(stub, store), call(1))
    store.close()
    again = one(client(stub, AnswerStore(tmp_path / "answers.sqlite")), call(1))
    assert stub.calls == 1
    assert (again.text, again.stored, fresh.stored) == (fresh.text, True, False)
    assert again.usage == Usage(stored=1)


def test_the_store_tells_models_endpoints_and_arguments_apart(
    stub: Stub, store: AnswerStore
) -> None:
    model = client(stub, store)
    variants = [
        call(1),
        call(1, model="other"),
        call(1, max_tokens=5),
        call(1, temperature=1.0),
        call(1, stage="ask"),
        call(1, schema=SCHEMA),
        call(1, system="x"),
    ]
    ask(model, *variants)
    assert stub.calls == len(variants)
    with Stub(count=quarter) as other:
        one(client(other, store), call(1))
        assert other.calls == 1


def test_equal_calls_at_once_are_sent_once(stub: Stub, store: AnswerStore) -> None:
    stub.latency_s = 0.05
    for answers in (store, None):
        stub.forget()
        found = ask(client(stub, answers), *[call(7)] * 5)
        assert stub.calls == 1
        assert [one.stored for one in found] == [False, True, True, True, True]  # type: ignore


def test_a_cancelled_call_leaves_its_twin_an_answer(stub: Stub) -> None:
    stub.latency_s = 0.1
    model = client(stub)

    async def twins() -> Completion:
        leader = asyncio.create_task(model.complete(call(1)))
        follower = asyncio.create_task(model.complete(call(1)))
        await asyncio.sleep(0.03)
        leader.cancel()
        return await follower

    assert run(twins()).text.startswith("Stub answer")


def test_a_twin_of_a_failed_call_fails_alike(stub: Stub) -> None:
    stub.latency_s, stub.faults = 0.02, first("overflow")
    errors = ask(client(stub), call(1), call(1))
    assert [error.kind for error in errors] == ["overflow", "overflow"]  # type: ignore
    assert stub.calls == 1


def test_a_damaged_store_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database at all" * 100)
    store = AnswerStore(path)
    store.put("0" * 32, Completion(text="a", model="m"))
    assert store.count() == 1
    assert path.with_name("answers.sqlite.damaged").read_bytes().startswith(b"no database")


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
    assert stub.calls == 3 and not any(isinstance(one, Exception) for one in found)
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
        limits = Limits(LlmSettings(**rates))
        started = time.monotonic()
        for _ in range(count):
            await limits.acquire(tokens)
        return time.monotonic() - started

    assert run(pass_through(500, 10)) < 0.5
    # A tenth of the minute's allowance at once, then 90 % of it, evenly.
    assert run(pass_through(60, 10, requests_per_minute=600)) < 0.2
    assert 0.2 < run(pass_through(63, 10, requests_per_minute=600)) < 1.5
    assert 0.2 < run(pass_through(1, 6300, tokens_per_minute=60_000)) < 1.5


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
        "from hdlgraph.llm.store import AnswerStore\n"
        "from hdlgraph.settings import LlmSettings\n"
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


def test_stored_answers_need_no_endpoint(stub: Stub, store: AnswerStore, tmp_path: Path) -> None:
    one(client(stub, store), call(1))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from _calls import call\n"
        "from hdlgraph.llm.client import Client, run\n"
        "from hdlgraph.llm.store import AnswerStore\n"
        "from hdlgraph.settings import LlmSettings\n"
        "store = AnswerStore(Path(sys.argv[2]))\n"
        "client = Client(LlmSettings(provider='openai', base_url=sys.argv[3]), store)\n"
        "print(run(client.complete(call(1))).stored, list(client.stream(call(1))) != [])\n"
        "print(sorted({'openai', 'aiohttp'} & set(sys.modules)))"
    )
    arguments = [str(Path(__file__).parent), str(store.path), stub.base_url]
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["True True", "[]"], done.stderr
