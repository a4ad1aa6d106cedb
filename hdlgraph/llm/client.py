"""Asks a language model: stored answers first, then the endpoint, with limits and repetitions.

    async with Client(settings.llm, AnswerStore(path), Spending(settings.llm)) as client:
        completion = await client.complete(call)

No telemetry is sent, and redirects are not followed. Proxies are taken from the environment, as
httpx does by default.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.away import FailedAway, HttpAway, patience_s
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.caller import BACKOFF_S, Caller
from hdlgraph.llm.endpoint.bounds import too_slow
from hdlgraph.llm.endpoint.retry import Failure, wait_s
from hdlgraph.llm.endpoint.wire import decode, read_answer
from hdlgraph.llm.loops import Connections
from hdlgraph.llm.loops import run as run
from hdlgraph.llm.stream import stream
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.spend import Spending


class Client(Caller):
    """The live `Model`. Everything is opened at the first call that no stored answer serves.

    Args:
        llm: endpoint, models, limits.
        store: answers of earlier runs; new ones are put in before they are returned.
        meter: asked before a call is sent, told what it took.
        backoff_s: seconds before the first repetition.
        seed: of the spread of the waiting times.
        away: sends the requests from other machines; None sends them from here.

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
        away: HttpAway | None = None,
    ) -> None:
        super().__init__(llm, store, meter, backoff_s=backoff_s, seed=seed)
        self._opened: Connections | None = None
        self.away = away

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
        opened = self._connections()
        while other := opened.pending.get(digest):
            await asyncio.wait([other])
            if not other.cancelled():
                return self._shared(call, other.result())
        return await self._first(opened, call, digest)

    def stream(self, call: Call) -> Iterator[str]:
        """Yields the answer as it comes; then `last` is the whole of it.

        A stored answer comes as one piece. Requests are repeated only before the first piece.

        Raises:
            CallError: it failed for good; kind truncated when it broke off after some pieces.
            BudgetError: the run's limit is reached.
        """
        return stream(self, call)

    async def close(self) -> None:
        """Closes the connections; the store stays open, it is the caller's."""
        opened, self._opened = self._opened, None
        if opened is not None and opened.loop is asyncio.get_running_loop():
            await opened.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        if kind is asyncio.CancelledError and self._opened is not None:
            # Before the connections close: the calls would fail, and nobody would read why.
            await self._opened.cancel()
        await self.close()

    def _connections(self) -> Connections:
        opened = self._opened
        here = asyncio.get_running_loop()
        if opened is None or opened.closed or opened.loop is not here:
            http = self.away or self.endpoint.open_async(self.llm)
            opened = self._opened = Connections(http, self.llm)
        return opened

    def _shared(self, call: Call, completion: Completion) -> Completion:
        """Returns the answer that an equal call got at the same time."""
        found = msgspec.structs.replace(completion, usage=Usage(stored=1), stored=True)
        self.settle(call, found.usage)
        return found

    async def _first(self, opened: Connections, call: Call, digest: str) -> Completion:
        """Sends a call; others that ask the same meanwhile wait for this answer."""
        future: asyncio.Future[Completion] = opened.loop.create_future()
        opened.pending[digest] = future
        task = asyncio.current_task()
        assert task is not None
        opened.tasks.add(task)
        try:
            async with opened.slots:
                completion = await self._paid(opened, call, digest)
        except Exception as error:
            future.set_exception(error)
            future.exception()  # nobody else may wait: no warning that it was never read
            raise
        except BaseException:
            future.cancel()
            raise
        finally:
            del opened.pending[digest]
            opened.tasks.discard(task)
        future.set_result(completion)
        return completion

    async def _paid(self, opened: Connections, call: Call, digest: str) -> Completion:
        if verdict := self.health.verdict(call.model):
            raise self.give_up(call, verdict, Usage())
        tokens = 0
        if opened.limits.counts_tokens or (self.meter is not None and self.meter.limited):
            from hdlgraph.llm.tokens import count_messages

            tokens = count_messages(call)
        if self.meter is not None:
            await self.meter.admit(call, tokens)
        try:
            found, usage = await self._persist(opened, call, tokens + call.max_tokens)
        except BaseException:
            self.settle(call, Usage())
            raise
        if isinstance(found, Failure):
            raise self.give_up(call, found, usage)
        completion = msgspec.structs.replace(found, usage=usage)
        self.keep(call, digest, completion)
        return completion

    async def _persist(
        self, opened: Connections, call: Call, tokens: int
    ) -> tuple[Completion | Failure, Usage]:
        """Sends a call until it is answered or given up; returns the outcome and all usage."""
        used = Usage(calls=1)
        tried: Counter[str] = Counter()
        answers = self.health.answers
        while True:
            while pause := self.health.pause_s():
                await asyncio.sleep(pause * self.dice.uniform(1.0, 1.1))
            await opened.limits.acquire(tokens)
            if opened.closed:
                return Failure(ErrorKind.STOPPED, "the client was closed"), used
            found, usage = await self._send(opened, call)
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

    async def _send(self, opened: Connections, call: Call) -> tuple[Completion | Failure, Usage]:
        """Returns the answer of one request; parameters that are refused are left out."""
        import httpx
        import openai

        dialect = self.dialect(call.model)
        while True:
            body = dialect.arguments(call)
            most_s = patience_s(self.llm, call.max_tokens, self.away is not None)
            try:
                async with asyncio.timeout(most_s):
                    # Not `chat.completions.create`: its typed records cost 1.8 ms of CPU a call,
                    # this one 0.9 ms, and the answer is checked for its shape here all the same.
                    response = await opened.http.post(
                        "/chat/completions", cast_to=httpx.Response, body=body
                    )
            except TimeoutError:
                told = f"{self.endpoint.label} {too_slow(most_s)}"
                return Failure(ErrorKind.TIMEOUT, told), Usage()
            except (FailedAway, openai.OpenAIError, httpx.HTTPError) as error:
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
