"""Counts what calls cost, by stage, and stops a run at its limit of tokens or money."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hdlgraph.errors import BudgetError, UsageError
from hdlgraph.llm.call import Call, Usage
from hdlgraph.results import StageUsage
from hdlgraph.settings.records import LlmSettings

PROGRESS_S = 0.2  # least seconds between two reports of progress
BATCH_SHARE = 0.5  # of the price, through the Batch API
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    output: float

    def cost(self, input_tokens: int, output_tokens: int, share: float = 1.0) -> float:
        """Returns USD; `share` of the price is charged."""
        return share * (input_tokens * self.input + output_tokens * self.output) / _MILLION


def price_of(llm: LlmSettings, model: str) -> Price | None:
    """Returns the price of a model by its name, or None when the settings do not state it."""
    build = (llm.build_input_price, llm.build_output_price)
    query = (llm.query_input_price, llm.query_output_price)
    known = ((llm.build_model, build), (llm.query_model, query))
    for name, (given, written) in known:  # one model in both places: either price is its price
        if name == model and given is not None and written is not None:
            return Price(given, written)
    return None


def need_price(llm: LlmSettings, model: str) -> Price:
    """Returns the price of a model.

    Raises:
        UsageError: the settings do not tell it.
    """
    price = price_of(llm, model)
    if price is None:
        part = "query" if model == llm.query_model != llm.build_model else "build"
        raise UsageError(
            f"--max-cost needs the price of {model}: set llm.{part}_input_price and "
            f"llm.{part}_output_price (USD per million tokens; 0 for a local model), or give "
            "--max-tokens instead"
        )
    return price


class _Most:
    """The most tokens that a call may take; holds the call, so that no other gets its id."""

    __slots__ = ("call", "sums")

    def __init__(self, call: Call, input_tokens: int, share: float) -> None:
        self.call = call
        self.sums = {
            (call.model, share, "input"): input_tokens,
            (call.model, share, "output"): call.max_tokens,
        }


def _split(kind: str, count: int) -> tuple[int, int]:
    return (count, 0) if kind == "input" else (0, count)


class Spending:
    """Counts one run's tokens and money, and stops it at its limits.

    A call is let through when it fits even if every call under way takes all it may. Once a call
    did not fit, no later one is let through, however small: what is done depends on the order of
    asking alone.

    Args:
        llm: names and prices of the models.
        max_cost: USD that this run may spend; None is no limit.
        max_tokens: input and output tokens that this run may spend; None is no limit.
        progress: called with the total so far, at most five times a second and on `flush`.
        models: models whose price must be known for `max_cost`; by default the build model.

    Raises:
        UsageError: a limit is negative or not a number, or a needed price is not set.
    """

    def __init__(
        self,
        llm: LlmSettings,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        progress: Callable[[StageUsage], None] | None = None,
        models: Sequence[str] = (),
    ) -> None:
        for option, limit in (("--max-cost", max_cost), ("--max-tokens", max_tokens)):
            if limit is not None and not (0 <= limit < math.inf):
                raise UsageError(f"{option} {limit}: give a number that is not negative")
        if max_cost is not None:
            for model in models or (llm.build_model,):
                need_price(llm, model)
        self.stopped = ""  # why no further call is let through
        self._llm = llm
        self._max_cost = max_cost
        self._max_tokens = max_tokens
        self._progress = progress
        self._reported_s = 0.0
        self._lock = threading.Lock()
        self._used: dict[tuple[str, str, float], Usage] = {}  # by stage, model, share of the price
        self._held: dict[int, list[_Most]] = {}  # of calls under way, by their id
        self._aside: Counter[tuple[str, float, str]] = Counter()  # their sums, for speed
        self._queue: deque[object] = deque()
        self._wakers: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    @property
    def limited(self) -> bool:
        """Whether the run has a limit; without one nobody need count before a call."""
        return self._max_cost is not None or self._max_tokens is not None

    def reserve(self, call: Call, input_tokens: int, share: float = 1.0) -> None:
        """Sets aside what a call may take at most: `input_tokens` and its `max_tokens`.

        Raises:
            BudgetError: it would pass a limit, or an earlier call did.
            UsageError: there is a limit in USD and the price of the model is not known.
        """
        most = self._most(call, input_tokens, share)
        with self._lock:
            if not self.stopped:
                self.stopped = self._over(most)
            if self.stopped:
                raise BudgetError(f"{self.stopped}; what was paid is stored, a new run goes on")
            self._held.setdefault(id(call), []).append(most)
            self._aside.update(most.sums)

    async def admit(self, call: Call, input_tokens: int) -> None:
        """Reserves as `reserve` does, in the order of asking.

        A call that does not fit beside those under way waits for them, as they mostly take less
        than they may.
        """
        if self._max_cost is None and self._max_tokens is None:
            return self.reserve(call, input_tokens)
        most = self._most(call, input_tokens, 1.0)
        ticket = object()
        self._queue.append(ticket)
        try:
            while not self.stopped and (self._queue[0] is not ticket or self._must_wait(most)):
                waker = (loop := asyncio.get_running_loop()).create_future()
                self._wakers.append((loop, waker))
                await waker
            self.reserve(call, input_tokens)
        finally:
            self._queue.remove(ticket)
            self._wake()

    def settle(self, call: Call, usage: Usage, share: float = 1.0) -> None:
        """Takes down what a call really took and frees what was set aside for it.

        To be called once for each call, whether it was answered, failed or was in the store; the
        tokens of a stored answer are not counted, they were paid by an earlier run.
        """
        if usage.stored:
            usage = Usage(stored=usage.stored)
        with self._lock:
            held = self._held.get(id(call))
            if held:
                self._aside.subtract(held.pop().sums)
                if not held:
                    del self._held[id(call)]
            key = (call.stage, call.model, share)
            self._used[key] = self._used.get(key, Usage()) + usage
            now = time.monotonic()
            is_due = self._progress is not None and now - self._reported_s >= PROGRESS_S
            if is_due:
                self._reported_s = now
        self._wake()
        if is_due:
            self.flush()

    def flush(self) -> None:
        """Reports progress at once."""
        if self._progress is not None:
            self._progress(self.summary())

    def by_stage(self) -> tuple[StageUsage, ...]:
        """Returns the usage of each stage, in the order in which they began."""
        with self._lock:
            used = list(self._used.items())
        stages = dict.fromkeys(stage for (stage, _, _), _ in used)
        return tuple(
            self._summed(stage, [item for item in used if item[0][0] == stage]) for stage in stages
        )

    def summary(self) -> StageUsage:
        """Returns the usage of the whole run under the name "total"."""
        with self._lock:
            used = list(self._used.items())
        return self._summed("total", used)

    def total(self) -> Usage:
        """Returns the tokens and calls of the whole run."""
        with self._lock:
            return sum(self._used.values(), Usage())

    def cost(self, stage: str = "") -> float | None:
        """Returns USD spent, in one stage or in all; None when a price is not known."""
        if not stage:
            return self.summary().cost
        return next((one.cost for one in self.by_stage() if one.stage == stage), 0.0)

    def _summed(self, name: str, used: list[tuple[tuple[str, str, float], Usage]]) -> StageUsage:
        usage = sum((one for _, one in used), Usage())
        cost: float | None = 0.0
        for (_, model, share), one in sorted(used, key=lambda item: item[0]):
            price = price_of(self._llm, model)
            tokens = (one.input_tokens, one.output_tokens)
            if price is not None and cost is not None:
                cost += price.cost(*tokens, share)
            elif any(tokens):
                cost = None
        return StageUsage(
            stage=name,
            calls=usage.calls,
            stored=usage.stored,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            retries=usage.retries,
            failed=usage.failed,
            cost=cost,
        )

    def _most(self, call: Call, input_tokens: int, share: float) -> _Most:
        if self._max_cost is not None:
            need_price(self._llm, call.model)
        return _Most(call, input_tokens, share)

    def _over(self, most: _Most) -> str:
        """Returns why a call does not fit beside what is spent and set aside, "" when it does."""
        used = sum(self._used.values(), Usage())
        aside = self._aside + Counter(most.sums)
        if self._max_tokens is not None:
            spent = used.input_tokens + used.output_tokens
            if spent + aside.total() > self._max_tokens:
                return f"--max-tokens {self._max_tokens} is reached ({spent} tokens spent)"
        if self._max_cost is not None:
            paid = self._summed("", list(self._used.items())).cost or 0.0
            cost = sum(
                need_price(self._llm, model).cost(*_split(kind, count), share)
                for (model, share, kind), count in aside.items()
            )
            if paid + cost > self._max_cost * (1 + 1e-12):
                return f"--max-cost {self._max_cost:g} is reached ({paid:.4f} USD spent)"
        return ""

    def _must_wait(self, most: _Most) -> bool:
        with self._lock:
            return bool(self._held) and bool(self._over(most))

    def _wake(self) -> None:
        wakers, self._wakers = self._wakers, []
        for loop, waker in wakers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_done, waker)


def _done(waker: asyncio.Future[None]) -> None:
    if not waker.done():
        waker.set_result(None)
