"""Asks a language model: stored answers first, then the endpoint, with limits and repetitions.

    async with Client(settings.llm, AnswerStore(path), Spending(settings.llm)) as client:
        completion = await client.complete(call)

No telemetry is sent, and redirects are not followed. Proxies are taken from the environment, as
httpx does by default.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hdlgraph.errors import CallError
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.endpoint import find_endpoint
from hdlgraph.llm.health import Health
from hdlgraph.llm.limits import Limits
from hdlgraph.llm.retry import Failure, backoff, connection_failure, status_failure
from hdlgraph.llm.wire import Dialect, read_answer
from hdlgraph.settings import LlmSettings

if TYPE_CHECKING:
    import openai

    from hdlgraph.llm.spend import Spending
    from hdlgraph.llm.store import AnswerStore

T = TypeVar("T")
BACKOFF_S = 0.5
"""Seconds before the first repetition; doubled each time."""
EMPTY_RETRIES = 2
"""An empty answer is paid for each time, so it is asked again less often."""
UNREACHED_RETRIES = 3
"""Repetitions while no connection was ever made: most likely the address is wrong."""
RATE_FACTOR = 4
"""A busy endpoint that asks for patience gets this many times the repetitions."""


class _Session:
    """What belongs to one event loop: connections, slots, calls under way."""

    def __init__(self, http: openai.AsyncOpenAI, llm: LlmSettings) -> None:
        self.http = http
        self.loop = asyncio.get_running_loop()
        self.slots = asyncio.Semaphore(llm.concurrency)
        self.limits = Limits(llm)
        self.pending: dict[str, asyncio.Future[Completion]] = {}


class Client:
    """The live `Model`. Everything is opened at the first call that no stored answer serves.

    Args:
        llm: endpoint, models, limits.
        store: answers of earlier runs; new ones are put in before they are returned.
        meter: asked before a call is sent, told what it took.
        backoff_s: seconds before the first repetition.
        seed: of the spread of the waiting times.

    Raises:
        UsageError: no endpoint is named, or its key is missing.
    """

    def __init__(
        self,
        llm: LlmSettings,
        store: AnswerStore | None = None,
        meter: Spending | None = None,
        *,
        backoff_s: float = BACKOFF_S,
        seed: int = 0,
    ) -> None:
        self.endpoint = find_endpoint(llm)
        self.llm = llm
        self.store = store
        self.meter = meter
        self.last: Completion | None = None
        """The whole answer of the stream that ended last."""
        self.health = Health(self.endpoint.label, llm.concurrency)
        self.backoff_s = backoff_s
        self.dice = random.Random(seed)
        self._dialects: dict[str, Dialect] = {}
        self._opened: _Session | None = None

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of a call; equal calls under way at once are sent once.

        Raises:
            CallError: it failed for good, repetitions included.
            BudgetError: the run's limit is reached.
        """
        digest = self.digest(call)
        session = self._session()
        while True:
            found = self.stored(call, digest)
            if found is not None:
                return found
            other = session.pending.get(digest)
            if other is None:
                return await self._first(session, call, digest)
            await asyncio.wait([other])
            if not other.cancelled():
                return self._shared(call, other.result())

    def stream(self, call: Call) -> Iterator[str]:
        """Yields the answer as it comes; then `last` is the whole of it.

        A stored answer comes as one piece. Requests are repeated only before the first piece.

        Raises:
            CallError: it failed for good; kind truncated when it broke off after some pieces.
            BudgetError: the run's limit is reached.
        """
        from hdlgraph.llm.stream import stream

        return stream(self, call)

    def digest(self, call: Call) -> str:
        """Returns the key of a call's answer in the store."""
        return call.digest(self.endpoint.label)

    def dialect(self, model: str) -> Dialect:
        """Returns what is known of the parameters that a model takes."""
        return self._dialects.setdefault(model, Dialect(self.llm.structured))

    def stored(self, call: Call, digest: str) -> Completion | None:
        """Returns the stored answer of a call, and tells the meter."""
        found = self.store.get(digest) if self.store is not None else None
        if found is not None:
            self.settle(call, found.usage)
        return found

    def keep(self, call: Call, digest: str, completion: Completion) -> None:
        """Stores a new answer, then tells the meter."""
        try:
            if self.store is not None:
                self.store.put(digest, completion)
        finally:
            self.settle(call, completion.usage)

    def settle(self, call: Call, usage: Usage) -> None:
        """Tells the meter what a call took."""
        if self.meter is not None:
            self.meter.settle(call, usage)

    def repetitions(self, failure: Failure) -> int:
        """Returns how often a request that failed so may be repeated."""
        if not failure.again:
            return 0
        if failure.kind == "empty":
            return min(EMPTY_RETRIES, self.llm.retries)
        if failure.kind == "unreachable" and not self.health.reached:
            return min(UNREACHED_RETRIES, self.llm.retries)
        return self.llm.retries * (RATE_FACTOR if failure.pause_s else 1)

    def failure(self, error: Exception, model: str) -> Failure:
        """Returns what an error of the openai library means."""
        import openai

        if isinstance(error, openai.APIStatusError):
            return status_failure(error, self.endpoint, model)
        return connection_failure(error, self.endpoint, self.llm.timeout_s)

    async def close(self) -> None:
        """Closes the connections; the store stays open, it is the caller's."""
        session, self._opened = self._opened, None
        if session is not None and session.loop is asyncio.get_running_loop():
            _sessions.pop(session, None)
            await session.http.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _session(self) -> _Session:
        session = self._opened
        if session is None or session.loop is not asyncio.get_running_loop():
            session = self._opened = _Session(self.endpoint.open_async(self.llm), self.llm)
            _sessions[session] = session.loop
        return session

    def _shared(self, call: Call, completion: Completion) -> Completion:
        """Returns the answer that an equal call got at the same time."""
        found = msgspec.structs.replace(completion, usage=Usage(stored=1), stored=True)
        self.settle(call, found.usage)
        return found

    async def _first(self, session: _Session, call: Call, digest: str) -> Completion:
        future: asyncio.Future[Completion] = session.loop.create_future()
        session.pending[digest] = future
        try:
            async with session.slots:
                completion = await self._paid(session, call, digest)
        except Exception as error:
            future.set_exception(error)
            future.exception()  # nobody else may wait: no warning that it was never read
            raise
        except BaseException:
            future.cancel()
            raise
        finally:
            del session.pending[digest]
        future.set_result(completion)
        return completion

    async def _paid(self, session: _Session, call: Call, digest: str) -> Completion:
        self.health.check(call.model)
        tokens = 0
        if self.meter is not None or session.limits.counts_tokens:
            from hdlgraph.llm.tokens import count_messages

            tokens = count_messages(call)
        if self.meter is not None:
            await self.meter.admit(call, tokens)
        try:
            found, usage = await self._persist(session, call, tokens + call.max_tokens)
        except BaseException:
            self.settle(call, Usage())
            raise
        if isinstance(found, Failure):
            self.health.lost(call.model, found)
            self.settle(call, usage + Usage(failed=1))
            raise CallError(f"{call.name}: {found.message}", found.kind)
        completion = msgspec.structs.replace(found, usage=usage)
        self.keep(call, digest, completion)
        return completion

    async def _persist(
        self, session: _Session, call: Call, tokens: int
    ) -> tuple[Completion | Failure, Usage]:
        """Returns the answer or the last failure, and the usage of all requests."""
        used = Usage(calls=1)
        tried: dict[str, int] = {}
        while True:
            while pause := self.health.pause_s():
                await asyncio.sleep(pause * self.dice.uniform(1.0, 1.1))
            await session.limits.acquire(tokens)
            found, usage = await self._send(session, call)
            used += usage
            if isinstance(found, Completion):
                self.health.done(call.model)
                return found, used
            self.health.failed_once(found)
            count = tried[found.kind] = tried.get(found.kind, 0) + 1
            if count > self.repetitions(found):
                return found, used
            self.health.check(call.model)
            used += Usage(retries=1)
            if not found.pause_s:
                await asyncio.sleep(backoff(sum(tried.values()) - 1, self.backoff_s, self.dice))

    async def _send(self, session: _Session, call: Call) -> tuple[Completion | Failure, Usage]:
        """Returns the answer of one request; parameters that are refused are left out."""
        import httpx
        import openai

        dialect = self.dialect(call.model)
        while True:
            body = dialect.arguments(call)
            try:
                response = await session.http.post(
                    "/chat/completions", cast_to=httpx.Response, body=body
                )
            except (openai.OpenAIError, httpx.HTTPError) as error:
                failure = self.failure(error, call.model)
                if not (failure.refused and dialect.adapt(body, failure.refused)):
                    return failure, Usage()
                continue
            try:
                data = msgspec.json.decode(response.content)
            except msgspec.DecodeError:
                found = Failure("server", f"{self.endpoint.label} sent no JSON", again=True)
                return found, Usage()
            answer, usage = read_answer(data, call)
            if isinstance(answer, Failure):
                answer = replace(answer, message=self.endpoint.clean(answer.message))
            return answer, usage


_sessions: dict[_Session, asyncio.AbstractEventLoop] = {}


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine, run to its end on an event loop of its own.

    Ctrl-C cancels it, lets it clean up, closes the connections of all clients that it used, and
    raises KeyboardInterrupt. Where a loop is running already (a notebook), it runs in a thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_closing(coroutine))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, _closing(coroutine)).result()


async def _closing(coroutine: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    try:
        return await coroutine
    finally:
        for session in [one for one, owner in _sessions.items() if owner is loop]:
            _sessions.pop(session, None)
            await session.http.close()
