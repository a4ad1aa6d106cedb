"""Prices, limits and the usage of each stage."""

from __future__ import annotations

import asyncio
import time

import pytest

from hdlgraph.errors import BudgetError, UsageError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.llm.call import Call, Usage
from hdlgraph.llm.client import Client
from hdlgraph.llm.spend import Price, Spending, StageUsage, price_of
from hdlgraph.settings.records import LlmSettings

PRICED = LlmSettings(
    provider="openai",
    build_model="small",
    query_model="large",
    build_input_price=0.4,
    build_output_price=1.6,
    query_input_price=2.0,
    query_output_price=8.0,
)


def call(
    stage: str = "explain", model: str = "small", most: int = 1000, name: str = "a.sv"
) -> Call:
    return Call(stage=stage, name=name, model=model, user="x", max_tokens=most)


def used(inside: int, out: int) -> Usage:
    return Usage(calls=1, input_tokens=inside, output_tokens=out)


def test_prices_by_model() -> None:
    assert price_of(PRICED, "small") == Price(0.4, 1.6)
    assert price_of(PRICED, "large") == Price(2.0, 8.0)
    assert price_of(PRICED, "other") is None
    assert price_of(LlmSettings(build_input_price=1.0), "gpt-4.1-mini") is None  # half a price
    one = LlmSettings(
        build_model="m", query_model="m", query_input_price=2.0, query_output_price=3.0
    )
    assert price_of(one, "m") == Price(2.0, 3.0)


def test_usage_and_cost_of_each_stage() -> None:
    spending = Spending(PRICED)
    spending.settle(call(), used(1_000_000, 500_000))
    spending.settle(call(), Usage(stored=1, calls=1, input_tokens=999, output_tokens=999))
    spending.settle(call("ask", "large"), used(100_000, 10_000))
    spending.settle(call("ask", "large"), Usage(calls=1, failed=1, retries=8))
    explain, ask = spending.by_stage()
    assert explain == StageUsage("explain", 1, 1, 1_000_000, 500_000, 0, 0, pytest.approx(1.2))
    assert ask == StageUsage("ask", 2, 0, 100_000, 10_000, 8, 1, pytest.approx(0.28))
    assert spending.cost() == pytest.approx(1.48)
    assert spending.cost("ask") == pytest.approx(0.28)
    assert spending.cost("merge") == 0
    assert spending.total().input_tokens == 1_100_000


def test_batch_share_of_the_price() -> None:
    spending = Spending(PRICED)
    spending.settle(call(), used(1_000_000, 0), share=0.5)
    spending.settle(call(), used(1_000_000, 0))
    assert spending.cost() == pytest.approx(0.6)


def test_cost_is_unknown_without_a_price() -> None:
    spending = Spending(LlmSettings())
    spending.settle(call("explain", "gpt-4.1-mini"), Usage(stored=1))
    assert spending.cost() == 0
    spending.settle(call("explain", "gpt-4.1-mini"), used(10, 1))
    assert spending.cost() is None
    assert spending.by_stage()[0].cost is None


@pytest.mark.parametrize(
    "limits", [{"max_cost": -1}, {"max_tokens": -5}, {"max_cost": float("nan")}]
)
def test_bad_limits(limits: dict) -> None:
    with pytest.raises(UsageError, match="--max-"):
        Spending(PRICED, **limits)


def test_a_limit_in_money_needs_the_price() -> None:
    with pytest.raises(UsageError, match=r"llm\.build_input_price"):
        Spending(LlmSettings(), max_cost=1.0)
    with pytest.raises(UsageError, match=r"llm\.query_input_price"):
        Spending(LlmSettings(build_input_price=1, build_output_price=1), 1.0, models=("gpt-4.1",))
    spending = Spending(LlmSettings(build_input_price=1, build_output_price=1), max_cost=1.0)
    with pytest.raises(UsageError, match=r"llm\.query_input_price"):
        spending.reserve(call(model="gpt-4.1"), 10)


def test_reservation_counts_until_settled() -> None:
    spending = Spending(PRICED, max_tokens=4000)
    first, second = call(), call(name="b.sv")
    spending.reserve(first, 1000)
    spending.reserve(second, 1000)  # exactly full
    spending.settle(first, used(1000, 100))
    spending.settle(second, used(1000, 100))
    spending.reserve(call(), 800)


def test_once_stopped_no_smaller_call_slips_in() -> None:
    spending = Spending(PRICED, max_tokens=2500)
    spending.reserve(call(), 1000)
    with pytest.raises(BudgetError, match="--max-tokens 2500 is reached"):
        spending.reserve(call(most=1000), 1000)
    with pytest.raises(BudgetError):
        spending.reserve(call(most=1), 1)


def test_the_same_call_twice_holds_twice() -> None:
    spending = Spending(PRICED, max_tokens=4000)
    one = call()
    spending.reserve(one, 1000)
    spending.reserve(one, 1000)
    spending.settle(one, used(500, 0))
    with pytest.raises(BudgetError):
        spending.reserve(call(), 1000)  # 500 spent + 2000 held + 2000


def test_limit_in_money() -> None:
    spending = Spending(PRICED, max_cost=0.002)  # one call: .0004 + .0016
    one = call()
    spending.reserve(one, 1000)
    spending.settle(one, used(1000, 1000))
    assert spending.cost() == pytest.approx(0.002)
    with pytest.raises(BudgetError, match=r"--max-cost 0\.002 is reached \(0\.0020 USD spent\)"):
        spending.reserve(call(most=1), 1)


def test_nothing_is_let_through_at_zero() -> None:
    with pytest.raises(BudgetError):
        Spending(PRICED, max_cost=0).reserve(call(), 1)


@pytest.mark.parametrize("width", [1, 4, 16])
def test_what_is_done_does_not_depend_on_concurrency(width: int) -> None:
    """Calls take less than they may; a full limit is decided by what was really taken."""
    spending = Spending(PRICED, max_tokens=20_000)
    done: list[int] = []
    most = 0

    async def one(number: int, gate: asyncio.Semaphore) -> None:
        nonlocal most
        async with gate:
            mine = call(name=str(number))
            await spending.admit(mine, 100)
            most = max(most, len(spending._held))
            await asyncio.sleep(0.001 * (number * 7 % 5))
            spending.settle(mine, used(100, 50 + number))
            done.append(number)

    async def all_of_them() -> list:
        gate = asyncio.Semaphore(width)
        return await asyncio.gather(*(one(n, gate) for n in range(200)), return_exceptions=True)

    results = asyncio.run(all_of_them())
    expected, spent = 0, 0
    while spent + 1100 <= 20_000:
        spent += 150 + expected
        expected += 1
    assert sorted(done) == list(range(expected))
    assert all(isinstance(r, BudgetError) for r in results[expected:])
    assert most == min(width, 16)
    total = spending.total()
    assert total.input_tokens + total.output_tokens <= 20_000


def test_a_cancelled_waiter_does_not_block_the_others() -> None:
    spending = Spending(PRICED, max_tokens=2500)

    async def scenario() -> None:
        first = call()
        await spending.admit(first, 1000)
        waiting = asyncio.create_task(spending.admit(call(name="b"), 1000))
        behind = asyncio.create_task(spending.admit(call(name="c", most=100), 100))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        assert not behind.done()
        waiting.cancel()
        spending.settle(first, used(1000, 10))
        await asyncio.wait_for(behind, 1)

    asyncio.run(scenario())


def test_progress_is_told_at_most_five_times_a_second() -> None:
    told: list[StageUsage] = []
    spending = Spending(PRICED, progress=told.append)
    started = time.monotonic()
    while time.monotonic() - started < 0.7:
        spending.settle(call(), used(10, 1))
    assert 2 <= len(told) <= 5
    spending.flush()
    assert told[-1].calls == spending.total().calls
    assert told[-1].cost == spending.cost()


def test_the_client_keeps_the_limit() -> None:
    """What a real server counted stays below the limit, and is the same at any concurrency."""
    assert len({_spend(width) for width in (1, 4, 16)}) == 1


def _spend(width: int) -> tuple[int, int]:
    """Returns (calls, tokens) of a run that reaches its limit."""
    with Stub(lambda body: "word " * (5 + int(body["messages"][0]["content"]) % 40)) as stub:
        llm = LlmSettings(provider="openai", base_url=stub.base_url, concurrency=width)
        meter = Spending(llm, max_tokens=3000)

        async def scenario() -> list:
            async with Client(llm, None, meter) as client:
                asked = [
                    Call(stage="s", name=str(n), model="m", user=str(n), max_tokens=200)
                    for n in range(150)
                ]
                return await asyncio.gather(*map(client.complete, asked), return_exceptions=True)

        results = asyncio.run(scenario())
        done = [n for n, one in enumerate(results) if not isinstance(one, Exception)]
        assert all(isinstance(one, BudgetError) for one in results[len(done) :])
        assert done == list(range(len(done)))  # the first ones, without a gap
        tokens = stub.input_tokens + stub.output_tokens
        assert 2700 < tokens <= 3000
        total = meter.total()
        assert (total.input_tokens, total.output_tokens) == (stub.input_tokens, stub.output_tokens)
        assert total.calls == stub.calls == len(done)
        return len(done), tokens
