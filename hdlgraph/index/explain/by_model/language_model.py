"""The language model of one run: checked before the first paid call, opened when needed."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from hdlgraph.errors import CallError, UsageError
from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.llm.call import Call, Completion, Model
from hdlgraph.results import StageUsage

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.client import Client
    from hdlgraph.llm.spend import Spending

T = TypeVar("T")


def check(request: Request) -> None:
    """Checks what a run with a model needs; one word is sent to an embedding endpoint.

    Raises:
        UsageError: no endpoint, no key, an unknown price, a prompt that cannot be used, vectors of
            another length than the settings say.
    """
    if not request.asks:
        refuse_idle(request)
        return
    from hdlgraph.index.embed.embedder import check_dimension
    from hdlgraph.llm.endpoint.endpoint import find_endpoint
    from hdlgraph.llm.spend import Spending
    from hdlgraph.prompts import check_prompts

    if request.settings.extract.method == "llm" and request.settings.graphrag.enabled == "never":
        raise UsageError(
            "--extract llm draws the graph of GraphRAG's tables, and --graphrag never builds "
            "none: leave one of them out"
        )
    find_endpoint(request.settings.llm)
    Spending(request.settings.llm, request.max_cost, request.max_tokens)
    check_prompts(request.prompts)
    check_dimension(request.settings)


def refuse_idle(request: Request) -> None:
    """Raises UsageError for options about calls in a run that makes none."""
    given = {
        "--max-cost": request.max_cost is not None,
        "--max-tokens": request.max_tokens is not None,
        "--batch": request.batch,
    }
    named = [name for name, on in given.items() if on]
    if named:
        raise UsageError(
            f"{', '.join(named)}: this run asks no model; add --explain model or --extract both"
        )


@contextmanager
def collection() -> Iterator[None]:
    """Switches garbage collection on: errors and tasks of calls refer to each other in circles."""
    if gc.isenabled():
        yield
        return
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.disable()
        gc.unfreeze()


class RunModel:
    """Asks the model of a run; a context manager that closes what it opened."""

    def __init__(self, request: Request, meter: Meter, engine: Engine = HERE) -> None:
        self.request, self.meter, self.engine = request, meter, engine
        self.stage = ""
        self._store: AnswerStore | None = None
        self._spending: Spending | None = None
        self._client: Client | None = None
        self._proof = _Proof()

    def __enter__(self) -> RunModel:
        return self

    def __exit__(self, *_: object) -> None:
        if self._store is not None:
            self._store.close()

    def run(self, stage: str, work: Callable[[Model], Awaitable[T]]) -> T:
        """Returns the value of a coroutine that is given the model.

        Args:
            stage: whose progress is told meanwhile.
            work: called with the model.

        Raises:
            UsageError: the endpoint refuses the key or knows no such model.
            KeyboardInterrupt: the calls under way were given up; those answered are stored.
        """
        from hdlgraph.llm.client import run

        self.stage = stage
        try:
            with collection():
                return run(self._with_model(work))
        finally:
            if self._spending is not None:
                self._spending.flush()

    async def _with_model(self, work: Callable[[Model], Awaitable[T]]) -> T:
        from hdlgraph.llm.answers import AnswerStore
        from hdlgraph.llm.client import Client
        from hdlgraph.llm.session import STORE
        from hdlgraph.llm.spend import Spending

        request, llm = self.request, self.request.settings.llm
        if self._spending is None or self._store is None or self._client is None:
            self._spending = Spending(llm, request.max_cost, request.max_tokens, self._report)
            self._store = AnswerStore(request.folder / STORE)
            self._client = Client(llm, self._store, self._spending)
        if not request.batch:
            with self._sending():
                return await work(_Trusted(self._client, self._proof, alone=True))
        from hdlgraph.llm.batch.model import BatchModel

        state = request.folder / "batches.json"
        report = self._report_batch
        async with BatchModel(llm, self._store, state, self._spending, progress=report) as model:
            return await work(_Trusted(model, self._proof, alone=False))

    @contextmanager
    def _sending(self) -> Iterator[None]:
        """Has the client send its requests from where the engine works."""
        assert self._client is not None
        if not self.engine.spreads:
            yield
            return
        from hdlgraph.llm.away import SHARE, CallWork, HttpAway

        work = CallWork(self.request.settings.llm)
        with self.engine.calls("asking the model", work, SHARE) as ask:
            self._client.away = HttpAway(ask)
            yield

    @property
    def usage(self) -> tuple[StageUsage, ...]:
        """Returns calls, tokens and price of each stage so far."""
        return self._spending.by_stage() if self._spending is not None else ()

    @property
    def stopped(self) -> str:
        """Returns which limit was reached, "" when none was."""
        return self._spending.stopped if self._spending is not None else ""

    def _report(self, so_far: StageUsage) -> None:
        self.meter.detail(self.stage, usage_text(so_far))

    def _report_batch(self, batch: str, status: str, done: int, total: int) -> None:
        self.meter.detail(self.stage, f"batch {batch} {status}, {done:,} of {total:,} calls")


def usage_text(usage: StageUsage) -> str:
    """Returns calls, tokens and price of a run so far, as one line."""
    parts = [f"{usage.calls:,} calls"]
    if usage.stored:
        parts.append(f"{usage.stored:,} stored")
    parts.append(f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens")
    if usage.cost is not None:
        parts.append(f"${usage.cost:.4f}" if usage.cost < 1 else f"${usage.cost:,.2f}")
    return ", ".join(parts) + " so far"


class _Proof:
    """Records whether an answer of the endpoint has shown that key and model name are right."""

    given = False


class _Trusted:
    """Ends the run when the endpoint refuses key or model name before it ever answered.

    With `alone`, the first call goes ahead of the others, so that a wrong key is refused once.
    """

    def __init__(self, model: Model, proof: _Proof, *, alone: bool) -> None:
        import asyncio

        self.model, self.proof, self.alone = model, proof, alone
        self.first = asyncio.Lock()

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of a call (CallError, BudgetError; UsageError as above)."""
        if self.proof.given:
            return await self.model.complete(call)
        if not self.alone:
            return await self._tried(call)
        async with self.first:
            if not self.proof.given:
                return await self._tried(call)
        return await self.model.complete(call)

    async def _tried(self, call: Call) -> Completion:
        try:
            answer = await self.model.complete(call)
        except CallError as error:
            if error.kind.user_must_mend and not self.proof.given:
                raise UsageError(str(error)) from error
            self.proof.given = True  # another fault says nothing about the key; all go on
            raise
        self.proof.given = self.proof.given or not answer.stored
        return answer
