"""Asks a language model: stored answers first, then the endpoint, with limits and repetitions.

    async with Client(settings.llm, AnswerStore(path), Spending(settings.llm)) as client:
        completion = await client.complete(call)

No telemetry is sent, and redirects are not followed. Proxies are taken from the environment, as
httpx does by default.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.errors import CallError, ErrorKind
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.endpoint.bounds import answer_s, too_slow
from hdlgraph.llm.endpoint.endpoint import find_endpoint
from hdlgraph.llm.endpoint.health import Health
from hdlgraph.llm.endpoint.retry import (
    Failure,
    connection_failure,
    repetitions,
    status_failure,
    wait_s,
)
from hdlgraph.llm.endpoint.wire import Dialect, decode, read_answer
from hdlgraph.llm.loops import Session
from hdlgraph.llm.loops import run as run
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.spend import Spending

BACKOFF_S = 0.5
"""Seconds before the first repetition; doubled each time."""


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
        self._opened: Session | None = None

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of a call; equal calls under way at once are sent once.

        Raises:
            CallError: it failed for good, repetitions included.
            BudgetError: the run's limit is reached.
        """
        digest = self.digest(call)
        found = self.stored(call, digest)
        if found is not None:
            return found
        session = self._session()
        while other := session.pending.get(digest):
            await asyncio.wait([other])
            if not other.cancelled():
                return self._shared(call, other.result())
        return await self._first(session, call, digest)

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

    def repetitions(self, failure: Failure, answers: int) -> int:
        """Returns how often a request may be repeated; `answers` were there when it began."""
        lively, reached = self.health.answers > answers, self.health.reached
        return repetitions(failure, self.llm.retries, lively=lively, reached=reached)

    def give_up(self, call: Call, failure: Failure, usage: Usage) -> CallError:
        """Returns the error of a call that failed for good, once all are told."""
        self.health.lost(call.model, failure)
        self.settle(call, usage + Usage(failed=1))
        told, label = failure.message, self.endpoint.label
        if failure.kind.endpoint_down and label not in told:
            told = f"{label}: {told}"
        return CallError(f"{call.name}: {self.endpoint.clean(told)}", failure.kind)

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
            await session.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _session(self) -> Session:
        session = self._opened
        here = asyncio.get_running_loop()
        if session is None or session.closed or session.loop is not here:
            session = self._opened = Session(self.endpoint.open_async(self.llm), self.llm)
        return session

    def _shared(self, call: Call, completion: Completion) -> Completion:
        """Returns the answer that an equal call got at the same time."""
        found = msgspec.structs.replace(completion, usage=Usage(stored=1), stored=True)
        self.settle(call, found.usage)
        return found

    async def _first(self, session: Session, call: Call, digest: str) -> Completion:
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

    async def _paid(self, session: Session, call: Call, digest: str) -> Completion:
        if verdict := self.health.verdict(call.model):
            raise self.give_up(call, verdict, Usage())
        tokens = 0
        if session.limits.counts_tokens or (self.meter is not None and self.meter.limited):
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
            raise self.give_up(call, found, usage)
        completion = msgspec.structs.replace(found, usage=usage)
        self.keep(call, digest, completion)
        return completion

    async def _persist(
        self, session: Session, call: Call, tokens: int
    ) -> tuple[Completion | Failure, Usage]:
        """Returns the answer or the last failure, and the usage of all requests."""
        used = Usage(calls=1)
        tried: Counter[str] = Counter()
        answers = self.health.answers
        while True:
            while pause := self.health.pause_s():
                await asyncio.sleep(pause * self.dice.uniform(1.0, 1.1))
            await session.limits.acquire(tokens)
            if session.closed:
                return Failure(ErrorKind.STOPPED, "the client was closed"), used
            found, usage = await self._send(session, call)
            used += usage
            if isinstance(found, Completion):
                self.health.done(call.model)
                return found, used
            self.health.failed_once(found)
            tried[found.kind] += 1
            if tried[found.kind] > self.repetitions(found, answers):
                return found, used
            await asyncio.sleep(wait_s(found, tried.total() - 1, self.backoff_s, self.dice))
            if verdict := self.health.verdict(call.model):
                return verdict, used
            used += Usage(retries=1)

    async def _send(self, session: Session, call: Call) -> tuple[Completion | Failure, Usage]:
        """Returns the answer of one request; parameters that are refused are left out."""
        import httpx
        import openai

        dialect = self.dialect(call.model)
        while True:
            body = dialect.arguments(call)
            most_s = answer_s(self.llm.timeout_s, call.max_tokens)
            try:
                async with asyncio.timeout(most_s):
                    response = await session.http.post(
                        "/chat/completions", cast_to=httpx.Response, body=body
                    )
            except TimeoutError:
                told = f"{self.endpoint.label} {too_slow(most_s)}"
                return Failure(ErrorKind.TIMEOUT, told), Usage()
            except (openai.OpenAIError, httpx.HTTPError) as error:
                failure = self.failure(error, call.model)
                if not (failure.refused and dialect.adapt(body, failure.refused)):
                    return failure, Usage()
                continue
            try:
                data = decode(response.content)
            except ValueError:
                found = Failure(ErrorKind.SERVER, f"{self.endpoint.label} sent no JSON", again=True)
                return found, Usage()
            return read_answer(data, call)
