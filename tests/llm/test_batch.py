"""The Batch API against a real server: half the price, nothing submitted twice, nothing lost."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import BudgetError, CallError, UsageError
from hdlgraph.eval.stubs.faults import matching
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.batch import jobs
from hdlgraph.llm.batch.model import BatchModel
from hdlgraph.llm.batch.state import FILE
from hdlgraph.llm.call import Call, Completion
from hdlgraph.llm.client import Client
from hdlgraph.llm.spend import Spending
from hdlgraph.llm.structured import ask_json
from hdlgraph.settings.records import LlmSettings

SCHEMA = {
    "type": "object",
    "properties": {"purpose": {"type": "string"}},
    "required": ["purpose"],
    "additionalProperties": False,
}
QUICK = {"quiet_s": 0.05, "poll_s": (0.01, 0.02)}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(lambda body: {"purpose": body["messages"][-1]["content"]}) as server:
        yield server


def settings(stub: Stub, **more) -> LlmSettings:
    values = {"build_model": "small", "build_input_price": 1.0, "build_output_price": 2.0} | more
    return LlmSettings(provider="openai", base_url=stub.base_url, **values)


def calls(count: int, start: int = 0, **more) -> list[Call]:
    values = {"stage": "explain", "model": "small", "schema": SCHEMA, "max_tokens": 100} | more
    return [
        Call(name=f"f{n}.sv", user=f"module f{n};", **values) for n in range(start, start + count)
    ]


def ask(
    stub: Stub,
    folder: Path,
    asked: list[Call],
    meter: Spending | None = None,
    llm: LlmSettings | None = None,
    **more,
) -> list:
    """Returns the answers or errors of one run."""

    async def scenario() -> list:
        store = AnswerStore(folder / "answers.sqlite")
        try:
            async with BatchModel(
                llm or settings(stub), store, folder / FILE, meter, **QUICK | more
            ) as model:
                work = (model.complete(call) for call in asked)
                return await asyncio.gather(*work, return_exceptions=True)
        finally:
            store.close()

    return asyncio.run(asyncio.wait_for(scenario(), 20))


def purposes(found: list) -> list[str]:
    return [json.loads(one.text)["purpose"] for one in found]


def test_calls_that_wait_together_are_one_batch(stub: Stub, tmp_path: Path) -> None:
    seen = []
    meter = Spending(settings(stub))
    found = ask(stub, tmp_path, calls(40), meter, progress=lambda *step: seen.append(step))
    assert purposes(found) == [f"module f{n};" for n in range(40)]
    assert len(stub.batches) == 1
    assert stub.paths["chat"] == 0
    made = stub.batches["batch_1"]
    assert made["endpoint"] == "/v1/chat/completions"
    assert made["completion_window"] == "24h"
    assert stub.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert seen[-1] == ("batch_1", "completed", 40, 40)
    (usage,) = meter.by_stage()
    assert (usage.calls, usage.failed, usage.stored) == (40, 0, 0)
    assert (usage.input_tokens, usage.output_tokens) == (stub.input_tokens, stub.output_tokens)
    full = (stub.input_tokens * 1.0 + stub.output_tokens * 2.0) / 1e6
    assert usage.cost == pytest.approx(full / 2)
    assert not (tmp_path / FILE).exists()
    assert stub.files == {}  # no source text stays behind


def test_stored_answers_serve_both_ways(stub: Stub, tmp_path: Path) -> None:
    ask(stub, tmp_path, calls(3))
    meter = Spending(settings(stub))
    assert all(one.stored for one in ask(stub, tmp_path, calls(3), meter))
    assert meter.summary().stored == 3
    assert meter.cost() == 0
    assert len(stub.batches) == 1

    async def live() -> Completion:
        store = AnswerStore(tmp_path / "answers.sqlite")
        async with Client(settings(stub), store) as client:
            return await client.complete(calls(1)[0])

    assert asyncio.run(live()).stored
    assert stub.paths["chat"] == 0


def test_equal_calls_are_sent_once(stub: Stub, tmp_path: Path) -> None:
    found = ask(stub, tmp_path, calls(2) + calls(2))
    assert purposes(found) == ["module f0;", "module f1;"] * 2
    assert stub.calls == 2


def test_models_and_limits_split_batches(stub: Stub, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "MOST_CALLS", 4)
    ask(stub, tmp_path, calls(9) + calls(1, 20, model="large"))
    sizes = sorted(one["request_counts"]["total"] for one in stub.batches.values())
    assert sizes == [1, 1, 4, 4]
    monkeypatch.setattr(jobs, "MOST_BYTES", 900)
    ask(stub, tmp_path, calls(4, 100))
    assert len(stub.batches) > 5


CHILD = """
import asyncio, os, sys
from pathlib import Path
sys.path[:0] = [{tests!r}, str(Path({tests!r}).parent)]
import test_batch as t
from hdlgraph.settings.records import LlmSettings
class Here:
    base_url = {url!r}
def told(*_):
    if {kill!r} == "submitted":
        os.kill(os.getpid(), 9)
from hdlgraph.llm.batch.state import BatchFile
real = BatchFile.keep
def keep(self, entry):
    found = real(self, entry)
    if {kill!r} == "before" and not entry.id:
        os.kill(os.getpid(), 9)
    return found
from hdlgraph.llm.batch.api import BatchApi
submit = BatchApi.submit
async def lost(self, file, key):
    found = await submit(self, file, key)
    os.kill(os.getpid(), 9)
if {kill!r} == "unheard":
    BatchApi.submit = lost
BatchFile.keep = keep
t.ask(Here, Path({folder!r}), t.calls(12), progress=told)
"""


@pytest.mark.kill
@pytest.mark.parametrize("kill", ["before", "unheard", "submitted"])
def test_a_killed_run_submits_nothing_twice(stub: Stub, tmp_path: Path, kill: str) -> None:
    """Killed for real: just before the submission, before its answer is noted, while waiting."""
    folder = str(Path(__file__).parent)
    code = CHILD.format(tests=folder, url=stub.base_url, folder=str(tmp_path), kill=kill)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert (tmp_path / FILE).is_file()
    assert len(stub.batches) == (0 if kill == "before" else 1)
    meter = Spending(settings(stub))
    found = ask(stub, tmp_path, calls(14), meter)
    assert purposes(found) == [f"module f{n};" for n in range(14)]
    sizes = [one["request_counts"]["total"] for one in stub.batches.values()]
    assert sorted(sizes) == [2, 12]
    assert stub.calls == 14  # each call ran once
    assert meter.total().input_tokens == stub.input_tokens
    assert not (tmp_path / FILE).exists()


@pytest.mark.kill
def test_answers_that_nobody_asks_for_are_kept(stub: Stub, tmp_path: Path) -> None:
    """A batch of a former run is collected while other calls wait, and counted when asked for."""
    folder = str(Path(__file__).parent)
    code = CHILD.format(tests=folder, url=stub.base_url, folder=str(tmp_path), kill="submitted")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    meter = Spending(settings(stub))

    async def scenario() -> list[Completion]:
        store = AnswerStore(tmp_path / "answers.sqlite")
        async with BatchModel(settings(stub), store, tmp_path / FILE, meter, **QUICK) as model:
            await asyncio.gather(*map(model.complete, calls(1, 50)))
            while (tmp_path / FILE).exists():
                await asyncio.sleep(0.01)
            return await asyncio.gather(*map(model.complete, calls(12)))

    found = asyncio.run(scenario())
    assert purposes(found) == [f"module f{n};" for n in range(12)]
    assert not any(one.stored for one in found)  # paid by this run
    assert meter.total().input_tokens == stub.input_tokens


def test_a_lost_submission_is_found_again(stub: Stub, tmp_path: Path) -> None:
    stub.batch_loses = {0}
    assert len(purposes(ask(stub, tmp_path, calls(5)))) == 5
    assert len(stub.batches) == 1
    assert stub.calls == 5


@pytest.mark.parametrize("end", ["expired", "cancelled", "failed"])
def test_ended_batches_are_submitted_once_more(stub: Stub, tmp_path: Path, end: str) -> None:
    stub.batch_ends = lambda number, size: end if number == 0 else None
    assert len(purposes(ask(stub, tmp_path, calls(10)))) == 10
    again = 10 if end == "failed" else 5  # what the first had answered is not sent again
    assert [one["request_counts"]["total"] for one in stub.batches.values()][1] == again
    assert stub.calls == 10


def test_batches_that_always_end_fail_their_calls(stub: Stub, tmp_path: Path) -> None:
    stub.batch_ends = lambda number, size: "expired"
    meter = Spending(settings(stub))
    found = ask(stub, tmp_path, calls(8), meter)
    assert len(stub.batches) == 2
    assert sum(isinstance(one, Completion) for one in found) == 6  # 4 of 8, then 2 of 4
    lost = [one for one in found if isinstance(one, CallError)]
    assert {one.kind for one in lost} == {"server"}
    assert "expired" in str(lost[0])
    assert str(lost[0]).startswith("f6.sv: ")
    assert meter.summary().failed == 2
    assert not (tmp_path / FILE).exists()
    stub.batch_ends = None
    assert len(purposes(ask(stub, tmp_path, calls(8)))) == 8  # a later run pays for two
    assert stub.calls == 8


def test_too_much_at_once_is_sent_in_halves(stub: Stub, tmp_path: Path) -> None:
    stub.batch_ends = lambda number, size: "token_limit_exceeded" if size > 3 else None
    assert len(purposes(ask(stub, tmp_path, calls(10)))) == 10
    assert stub.calls == 10


def test_failed_lines_fail_their_calls_alone(stub: Stub, tmp_path: Path) -> None:
    stub.faults = lambda n, body: {
        "module f1;": "refusal",
        "module f2;": "overflow",
        "module f3;": "500",
    }.get(body["messages"][-1]["content"])
    found = ask(stub, tmp_path, calls(6))
    assert [isinstance(one, Completion) for one in found] == [True, False, False, False, True, True]
    assert [one.kind for one in found[1:4]] == ["refusal", "overflow", "server"]
    assert len(stub.batches) == 2  # only the 500 was worth another attempt
    assert stub.calls == 7


def test_refused_parameters_are_left_out(stub: Stub, tmp_path: Path) -> None:
    stub.refused = ["max_tokens", "temperature"]
    assert len(purposes(ask(stub, tmp_path, calls(3)))) == 3
    assert "max_completion_tokens" in stub.requests[-1]


def test_a_server_without_batches_is_wrong_use(stub: Stub, tmp_path: Path) -> None:
    stub.lacks = ["files"]
    found = ask(stub, tmp_path, calls(2))
    assert all(isinstance(one, UsageError) for one in found)
    assert "has no Batch API" in str(found[0])
    assert stub.calls == 0
    assert not (tmp_path / FILE).exists()


def test_wrong_key(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    stub.key = "sk-right"
    (found,) = ask(stub, tmp_path, calls(1))
    assert found.kind == "auth"
    assert "OPENAI_API_KEY" in str(found)
    assert "sk-" not in str(found)
    assert stub.batches == {}


def test_limits_hold_at_half_the_price(stub: Stub, tmp_path: Path) -> None:
    one = calls(1)[0]
    from hdlgraph.llm.tokens import count_messages

    most = (count_messages(one) * 1.0 + 100 * 2.0) / 1e6 / 2
    found = ask(stub, tmp_path, calls(5), Spending(settings(stub), max_cost=most * 3.5))
    assert [isinstance(x, Completion) for x in found] == [True] * 3 + [False] * 2
    assert all(isinstance(x, BudgetError) for x in found[3:])
    assert stub.calls == 3


def test_a_damaged_list_is_not_ignored(stub: Stub, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"batches": [{"id"')
    with pytest.raises(UsageError, match="is damaged"):
        ask(stub, tmp_path, calls(1))


@pytest.mark.kill
def test_a_batch_that_the_endpoint_forgot(stub: Stub, tmp_path: Path) -> None:
    folder = str(Path(__file__).parent)
    code = CHILD.format(tests=folder, url=stub.base_url, folder=str(tmp_path), kill="submitted")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    stub.batches.clear()
    assert len(purposes(ask(stub, tmp_path, calls(12)))) == 12


def test_the_repair_call_is_a_second_batch(stub: Stub, tmp_path: Path) -> None:
    stub.faults = matching("module f1", "prose")

    async def scenario() -> list:
        store = AnswerStore(tmp_path / "answers.sqlite")
        async with BatchModel(settings(stub), store, tmp_path / FILE, **QUICK) as model:
            work = (ask_json(model, call, lambda found: found["purpose"]) for call in calls(3))
            return await asyncio.gather(*work)

    found = asyncio.run(scenario())
    assert found[0] == "module f0;"
    assert "Answer again" in found[1]
    assert len(stub.batches) == 2
    assert stub.calls == 4
    turns = stub.requests[-1]["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]


def test_custom_ids_are_the_digests(stub: Stub, tmp_path: Path) -> None:
    llm = settings(stub)
    asked = calls(1)[0]
    kept: list[bytes] = []
    stub.batch_ends = lambda n, size: kept.append(b"".join(stub.files.values())) or None
    ask(stub, tmp_path, [asked])
    line = msgspec.json.decode(kept[0].splitlines()[0])
    assert line["custom_id"] == asked.digest(f"openai {llm.base_url}")
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
