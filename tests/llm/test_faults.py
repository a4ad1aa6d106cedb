"""What the client does when the endpoint fails: a real server that injects each fault."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _calls import ask, call, client, no_call_twice, one, settings

from hdlgraph.errors import CallError, ErrorKind, HdlgraphError
from hdlgraph.eval.stubs.faults import Faults, always, first, matching, seeded
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.call import Completion
from hdlgraph.llm.endpoint import health, retry
from hdlgraph.llm.endpoint.health import Health
from hdlgraph.llm.endpoint.retry import Failure, retry_after
from hdlgraph.llm.spend import Spending

TRANSIENT = {
    "408": "timeout",
    "409": "server",
    "429": "rate",
    "500": "server",
    "502": "server",
    "503": "server",
    "529": "server",
    "reset": "unreachable",
    "hang": "timeout",
    "truncate": "truncated",
    "garbage": "server",
    "empty": "empty",
}
FINAL = {
    "400": "request",
    "401": "auth",
    "402": "rate",
    "403": "auth",
    "404": "model",
    "model": "model",
    "quota": "rate",
    "overflow": "overflow",
    "refusal": "refusal",
    "filter": "refusal",
}
SILENCE_S = 0.4


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(count=quarter) as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    answers = AnswerStore(tmp_path / "answers.sqlite")
    yield answers
    answers.close()


# One call


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_passing_fault_is_repeated_and_not_charged_twice(
    stub: Stub, store: AnswerStore, fault: str
) -> None:
    stub.faults = first(fault)
    model = client(stub, store, timeout_s=SILENCE_S)
    answer = one(model, call(1))
    assert answer.text.startswith("Stub answer")
    assert stub.calls == 2
    assert (answer.usage.calls, answer.usage.retries) == (1, 1)
    assert one(model, call(1)).stored
    assert stub.calls == 2


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_lasting_fault_becomes_an_error_of_its_kind(stub: Stub, fault: str) -> None:
    stub.faults = always(fault)
    meter = Spending(settings(stub))
    model = client(stub, None, meter, timeout_s=SILENCE_S, retries=2)
    with pytest.raises(CallError, match=r"file_1\.sv: ") as caught:
        one(model, call(1))
    assert caught.value.kind == TRANSIENT[fault]
    assert stub.calls == 3
    total = meter.total()
    assert (total.calls, total.failed, total.retries) == (1, 1, 2)
    assert (total.input_tokens > 0) == (fault == "empty")  # empty answers are paid for


@pytest.mark.parametrize("fault", FINAL)
def test_a_final_fault_is_not_repeated(stub: Stub, fault: str) -> None:
    stub.faults = always(fault)
    for attempt in (
        lambda: one(client(stub), call(1)),
        lambda: list(client(stub).stream(call(1))),
    ):
        stub.forget()
        with pytest.raises(CallError) as caught:
            attempt()
        assert caught.value.kind == FINAL[fault]
        assert stub.calls == 1


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_stream_is_repeated_before_its_first_piece(stub: Stub, fault: str) -> None:
    stub.faults = first(fault)
    model = client(stub, timeout_s=SILENCE_S)
    if fault == "truncate":  # some pieces came: the user has read them
        pieces: list[str] = []
        with pytest.raises(CallError) as caught:
            pieces.extend(model.stream(call(1)))
        assert (caught.value.kind, pieces) == ("truncated", ["Stub"])
        assert stub.calls == 1
    else:
        assert "".join(model.stream(call(1))).startswith("Stub answer")
        assert stub.calls == 2


def test_a_stream_without_its_end_is_truncated(stub: Stub, store: AnswerStore) -> None:
    stub.faults = first("cut")
    meter = Spending(settings(stub))
    model = client(stub, store, meter)
    pieces: list[str] = []
    with pytest.raises(CallError, match="broke off") as caught:
        pieces.extend(model.stream(call(1)))
    assert (caught.value.kind, pieces) == ("truncated", ["Stub"])
    assert model.last is None
    assert store.count() == 0
    assert meter.total().failed == 1
    assert meter.total().output_tokens > 0


def test_an_answer_cut_at_its_limit_is_an_answer(stub: Stub, store: AnswerStore) -> None:
    stub.faults = first("length", "length")
    model = client(stub, store)
    assert one(model, call(1)).finish == "length"
    assert one(model, call(1)).finish == "length"
    assert list(model.stream(call(2)))
    assert model.last is not None
    assert model.last.finish == "length"
    assert stub.calls == 2


def test_overflows_of_other_servers_are_known() -> None:
    import httpx
    import openai

    from hdlgraph.llm.endpoint.endpoint import Endpoint

    endpoint = Endpoint("openai", "http://h/v1", "unused")
    told = [
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000"),
        (400, "request (5000 tokens) exceeds the available context size (4096 tokens), try"),
        (400, "'max_tokens' is too large: 1200. This model's maximum context length is 4096"),
        (500, "input length exceeds the context length"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
    ]
    for status, message in told:
        request = httpx.Request("POST", "http://h/v1/chat/completions")
        response = httpx.Response(status, request=request)
        error = openai.APIStatusError(message, response=response, body={"message": message})
        assert retry.status_failure(error, endpoint, "m").kind == "overflow", message


# Pauses


def test_retry_after_is_a_number_or_a_date() -> None:
    from email.utils import formatdate

    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}) == 0.25
    assert retry_after({"retry-after": "86400"}) == 86400
    assert retry_after({"retry-after": "-5"}) == 0
    in_a_while = retry_after({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert in_a_while is not None
    assert 28 < in_a_while <= 30
    assert retry_after({"retry-after": formatdate(time.time() - 30, usegmt=True)}) == 0
    for nonsense in ("", "soon", "nan", "inf", "1e999", "Mon, 99 Foo"):
        assert retry_after({"retry-after": nonsense}) is None


@pytest.mark.parametrize("fault", ["429", "503", "429-date"])
def test_all_calls_wait_as_long_as_the_endpoint_asks(stub: Stub, fault: str) -> None:
    pause = 1.6 if fault == "429-date" else 0.5  # a date has whole seconds
    stub.retry_after_s, stub.latency_s = pause, 0.03
    stub.faults = first(fault)
    answers = ask(client(stub, concurrency=4), *(call(n) for n in range(12)))
    assert all(isinstance(answer, Completion) for answer in answers)
    refused_at = stub.times[0] + stub.latency_s
    least = pause - 1.05 if fault == "429-date" else pause - 0.02
    # Four were under way when the pause began; the others waited for its end.
    assert all(moment - refused_at > least for moment in stub.times[4:])
    assert len(stub.times) == 13


def test_waiting_times_grow_and_differ() -> None:
    dice = random.Random(1)
    waits = [retry.backoff(n, 0.5, dice) for n in range(10)]
    assert waits == [retry.backoff(n, 0.5, d) for d in [random.Random(1)] for n in range(10)]
    assert 0.25 <= waits[0] <= 0.5
    assert 1 <= waits[2] <= 2
    assert max(waits) <= retry.MOST_BACKOFF_S
    assert retry.backoff(10**6, 0.5, dice) <= retry.MOST_BACKOFF_S


# Many calls


def test_at_sixty_percent_errors_no_call_is_lost(stub: Stub, store: AnswerStore) -> None:
    stub.faults = seeded(7, {"503": 0.6})
    asked = [call(n) for n in range(200)]
    answers = ask(client(stub, store), *asked)
    assert [one for one in answers if not isinstance(one, Completion)] == []
    assert stub.answered == len(asked)  # each was charged once
    assert stub.calls > 2 * len(asked)
    sent = stub.calls
    again = ask(client(stub, store), *asked)
    assert [one.text for one in again] == [one.text for one in answers]  # type: ignore
    assert stub.calls == sent


def test_under_every_fault_at_once_no_call_is_lost(stub: Stub, store: AnswerStore) -> None:
    shares = dict.fromkeys(("429", "500", "503", "reset", "truncate", "garbage", "empty"), 0.06)
    stub.faults = no_call_twice(seeded(3, shares), ("truncate", "garbage", "empty"))
    stub.retry_after_s = 0.01
    answers = ask(client(stub, store), *(call(n) for n in range(150)))
    assert [one for one in answers if not isinstance(one, Completion)] == []
    expected = [stub.reply({"messages": [{"content": f"Explain file {n}."}]}) for n in range(150)]
    assert [one.text for one in answers] == expected  # type: ignore
    assert store.count() == 150


@pytest.mark.parametrize("fault", ["reset", "500", "hang"])
def test_a_dead_endpoint_is_given_up(stub: Stub, store: AnswerStore, fault: str) -> None:
    died = lambda number, body: fault if number >= 20 else None  # noqa: E731
    stub.faults = died
    model = client(stub, store, concurrency=10, retries=1, timeout_s=SILENCE_S)
    answers = ask(model, *(call(n) for n in range(200)))
    kinds = [getattr(one, "kind", "done") for one in answers]
    assert kinds.count("done") == 20 == store.count()
    assert kinds.count("stopped") >= 150
    # Ten lost calls in a row, those under way beside them, each sent twice at most (four times
    # where answers still came meanwhile).
    assert stub.calls < 20 + 4 * 2 * 10
    stopped = next(one for one in answers if getattr(one, "kind", "") == "stopped")
    assert "stopped answering after" in str(stopped)
    sent = stub.calls
    with pytest.raises(CallError, match="stopped answering"):
        list(model.stream(call(999)))
    assert stub.calls == sent


def test_an_endpoint_that_was_given_up_gets_another_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = Health("openai http://h", 1)
    lost = Failure(ErrorKind.SERVER, "503", again=True)
    for _ in range(health.LEAST_LOST):
        assert state.verdict("m") is None
        state.lost("m", lost)
    verdict = state.verdict("m")
    assert verdict is not None
    assert verdict.kind == "stopped"
    monkeypatch.setattr(health, "REST_S", 0.0)
    assert state.verdict("m") is None
    monkeypatch.setattr(health, "REST_S", 60.0)
    state.lost("m", lost)
    assert state.verdict("m") is not None
    state.done("m")
    assert state.verdict("m") is None


def test_lost_calls_between_answers_stop_nothing(stub: Stub) -> None:
    stub.faults = matching("7.", "500")
    model = client(stub, concurrency=2, retries=1)
    answers = ask(model, *(call(n) for n in range(80)))
    kinds = [getattr(one, "kind", "done") for one in answers]
    assert kinds.count("done") == 80 - kinds.count("server")
    assert kinds.count("server") == 8


@pytest.mark.parametrize(("fault", "kind"), [("401", "auth"), ("quota", "rate"), ("402", "rate")])
def test_what_no_call_survives_stops_the_run(stub: Stub, fault: str, kind: str) -> None:
    stub.faults, stub.latency_s = always(fault), 0.01
    answers = ask(client(stub, concurrency=4), *(call(n) for n in range(100)))
    assert {one.kind for one in answers} == {kind}  # type: ignore[union-attr]
    assert stub.calls <= 4


def test_an_unknown_model_stops_only_its_own_calls(stub: Stub) -> None:
    stub.models = ("stub-model",)
    model = client(stub, concurrency=1)
    calls = [call(n, model="typo" if n % 2 else "stub-model") for n in range(10)]
    kinds = [getattr(one, "kind", "done") for one in ask(model, *calls)]
    assert kinds == ["done", "model"] * 5
    assert stub.calls == 6


def test_a_refusal_of_one_text_stops_nothing(stub: Stub) -> None:
    # A gateway may answer 403 to a prompt that looks dangerous to it.
    stub.faults = first(None, "403")
    kinds = [
        getattr(one, "kind", "done")
        for one in ask(client(stub, concurrency=1), *(call(n) for n in range(4)))
    ]
    assert kinds == ["done", "auth", "done", "done"]


# Interruption

_RUN = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from _calls import call
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.settings.records import LlmSettings

async def main():
    llm = LlmSettings(provider="openai", base_url={url!r}, concurrency=4)
    async with Client(llm, AnswerStore(Path({store!r}))) as client:
        for done in asyncio.as_completed([client.complete(call(n)) for n in range(60)]):
            completion = await done
            print(completion.text, flush=True)  # reported: from here it may not be lost

run(main())
"""


@pytest.mark.kill
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_pays_only_for_the_rest(stub: Stub, tmp_path: Path, sign: int) -> None:
    stub.latency_s = 0.02
    path = tmp_path / "answers.sqlite"
    code = _RUN.format(tests=str(Path(__file__).parents[1]), url=stub.base_url, store=str(path))
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    reported = [child.stdout.readline() for _ in range(36)]  # 60 %
    child.send_signal(sign)
    rest, errors = child.communicate(timeout=20)
    reported += rest.splitlines(keepends=True)
    if sign == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
        assert "never retrieved" not in errors
        assert "Unclosed" not in errors
    store = AnswerStore(path)
    kept = store.count()
    assert 36 <= len(reported) <= kept < 60
    stub.forget()
    answers = ask(client(stub, store), *(call(n) for n in range(60)))
    assert stub.calls == 60 - kept
    texts = {one.text for one in answers}  # type: ignore[union-attr]
    assert {line.strip() for line in reported} <= texts


def test_an_answer_that_cannot_be_stored_is_an_error(stub: Stub, store: AnswerStore) -> None:
    meter = Spending(settings(stub))
    model = client(stub, store, meter)
    one(model, call(1))
    store._cache._db.execute("PRAGMA max_page_count = 1")  # a full disk
    stub.reply = lambda body: "long " * 5000
    with pytest.raises(HdlgraphError, match=r"cannot store an answer in .*full"):
        one(model, call(2))
    assert meter.total().calls == stub.answered  # it was paid all the same
    assert one(model, call(1)).stored


def test_faults_are_drawn_alike() -> None:
    drawn: Faults = seeded(5, {"503": 0.6})
    names = [drawn(n, {}) for n in range(1000)]
    assert names == [drawn(n, {}) for n in range(1000)]
    assert 550 < names.count("503") < 650
