"""Answers calls through the Batch API: half the price, an answer within a day.

Calls that wait together become one batch. What is submitted stands in a file, so a run that was
ended finds its batches again and submits nothing twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from hdlgraph.errors import BudgetError, CallError, ErrorKind, HdlgraphError
from hdlgraph.llm.batch.api import BatchApi
from hdlgraph.llm.batch.jobs import Job, portions, seen
from hdlgraph.llm.batch.replies import Outcome
from hdlgraph.llm.batch.state import BatchFile, Submitted, new_key
from hdlgraph.llm.batch.waiting import Waiting
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.endpoint.wire import Dialect, read_answer
from hdlgraph.llm.spend import Spending
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore

ATTEMPTS = 2  # submissions of a call whose batch expired, failed or was cancelled
MOST_WAIT_S = 26 * 3600.0  # for a batch; its answers are due within a day
FINISH_S = 10.0  # most seconds that `close` waits for answers on their way
TOO_MUCH = "token_limit_exceeded"  # more is queued than the account may have
ADAPTED = "a parameter was refused"  # and is left out from now on
ENDED = frozenset({"completed", "failed", "expired", "cancelled", "lost"})

BatchProgress = Callable[[str, str, int, int], None]


class BatchModel:
    """Answers calls through batches; see `hdlgraph.llm.call.Model`.

    Ask all calls at once (`asyncio.gather`): those that arrive without a pause of `quiet_s` go
    into one batch.

    Args:
        llm: the endpoint and its models.
        store: paid answers; takes also those that arrive while nobody waits for them.
        state: the file that lists the submitted batches (`state.FILE`).
        meter: prices and limits; a call costs half.
        quiet_s: seconds without a new call after which those that wait are submitted.
        poll_s: seconds between two looks at a batch, at first and at most.
        progress: called as progress(batch id, status, calls done, calls) at each look.

    Raises:
        UsageError: no endpoint is configured, its key is missing, or `state` is damaged.
    """

    def __init__(
        self,
        llm: LlmSettings,
        store: AnswerStore,
        state: Path,
        meter: Spending | None = None,
        *,
        quiet_s: float = 0.5,
        poll_s: tuple[float, float] = (2.0, 60.0),
        progress: BatchProgress | None = None,
    ) -> None:
        self._api = BatchApi(llm, poll_s)
        self._batches = BatchFile(state)
        self._structured = llm.structured
        self._dialects: dict[str, Dialect] = {}
        self._quiet_s, self._poll_s = quiet_s, poll_s
        self._progress: BatchProgress = progress or (lambda *_: None)
        self._waiting = Waiting(store, meter or Spending(llm))
        self._submitted: set[str] = set()  # digests in batches that are watched
        self._queue: list[Job] = []
        self._arrived = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._finishing: set[asyncio.Future[None]] = set()
        self._opened = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops watching; what is submitted stays submitted and is collected by a later run."""
        if self._finishing:
            await asyncio.wait(list(self._finishing), timeout=FINISH_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._api.close()

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of one call, once its batch has ended.

        Raises:
            CallError: it failed for good, a second submission included.
            BudgetError: the run's limit is reached.
            UsageError: the endpoint has no Batch API.
        """
        digest = call.digest(self._api.label)
        self._watch_former()
        if (found := self._waiting.stored(call, digest)) is not None:
            return found
        job = self._waiting.get(digest) or self._add(call, digest)
        return await asyncio.shield(job.future)

    def _watch_former(self) -> None:
        """Starts to watch the batches that earlier runs submitted, once."""
        if self._opened:
            return
        self._opened = True
        for entry in self._batches.of(self._api.label):
            self._submitted |= set(entry.digests)
            self._start(self._follow(entry))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:  # nobody may wait for ever
            self._waiting.fail(self._waiting.all(), error)

    def _add(self, call: Call, digest: str) -> Job:
        loop = asyncio.get_running_loop()
        job = Job(call, digest, loop.create_future())
        job.future.add_done_callback(seen)
        if digest not in self._submitted:
            self._waiting.hold(job)
            if not self._queue:
                self._start(self._gather())
            self._queue.append(job)
            self._arrived = loop.time()
        self._waiting.put(job)
        return job

    def _dialect(self, model: str) -> Dialect:
        return self._dialects.setdefault(model, Dialect(self._structured))

    async def _gather(self) -> None:
        """Submits the calls that wait, when no further one has come for a while."""
        clock = asyncio.get_running_loop().time
        while (left := self._arrived + self._quiet_s - clock()) > 0:
            await asyncio.sleep(left)
        jobs, self._queue = self._queue, []
        await self._send(jobs, attempt=0)

    async def _send(self, jobs: list[Job], attempt: int) -> None:
        """Submits calls in as few batches as the API takes, and sees all of them through."""
        for job in jobs:  # one that an earlier run had submitted may be new to this run's limit
            try:
                self._waiting.hold(job)
            except BudgetError as error:
                self._waiting.fail([job], error)
        jobs = [job for job in jobs if job.held]
        for job in jobs:
            job.body = self._dialect(job.call.model).arguments(job.call)
        parts = portions(jobs, self._api.line)
        await asyncio.gather(*(self._send_one(*part, attempt) for part in parts))

    async def _send_one(self, jobs: list[Job], data: bytes, attempt: int) -> None:
        entry = Submitted(
            key=new_key(),
            endpoint=self._api.label,
            model=jobs[0].call.model,
            digests=tuple(job.digest for job in jobs),
            attempt=attempt,
        )
        try:
            file = await self._api.upload(data)
        except HdlgraphError as error:
            self._waiting.fail(jobs, error)
            return
        self._submitted |= set(entry.digests)
        # On disk before the endpoint knows of it: found again by its key if this run ends now.
        await self._follow(self._batches.keep(msgspec.structs.replace(entry, file=file)), new=True)

    async def _follow(self, entry: Submitted, new: bool = False) -> None:
        """Waits for a batch, hands its answers out and cares for the calls it left over."""
        try:
            if not entry.id:
                entry = await self._submit(entry, new)
            status, batch = await self._wait(entry) if entry.id else ("lost", None)
            jobs, why = await self._finish(entry, batch)
        except CallError as error:
            # Unless it was refused, it stands in the file: a later run takes it up again.
            self._submitted -= set(entry.digests)
            self._waiting.fail(self._waiting.of(entry.digests), error)
            return
        attempt = entry.attempt + (why != ADAPTED and bool(entry.id))
        if why == TOO_MUCH and len(jobs) > 1:  # less at once, the rest afterwards
            middle = len(jobs) // 2
            await self._send(jobs[:middle], entry.attempt)
            await self._send(jobs[middle:], entry.attempt)
        elif jobs and attempt < ATTEMPTS:
            await self._send(jobs, attempt)
        else:
            message = f"batch {entry.id} {status}" + (f": {why}" if why else "")
            self._waiting.fail(jobs, CallError(message, ErrorKind.SERVER))

    async def _finish(self, entry: Submitted, batch: Any) -> tuple[list[Job], str]:
        """Stores the answers of an ended batch and forgets it; `close` waits for that.

        Returns:
            The calls worth another attempt, and why.
        """
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._finishing.add(ended)
        try:
            left, why = await self._collect(entry, batch)
            self._batches.drop(entry)
            self._submitted -= set(entry.digests)
            jobs = self._waiting.of(left)  # before others may ask for the same
            await self._api.tidy(entry.file, batch)
        finally:
            self._finishing.discard(ended)
            ended.set_result(None)
        return jobs, why

    async def _submit(self, entry: Submitted, new: bool) -> Submitted:
        """Returns the entry with its id; without one where an earlier run ended too soon."""
        try:
            if new:
                batch_id = await self._api.submit(entry.file, entry.key)
            else:
                batch_id = await self._api.find(entry.key)
        except CallError as error:
            # After trouble at the endpoint the batch may have been made all the same.
            if not (error.kind.endpoint_down or error.kind is ErrorKind.RATE):
                self._batches.drop(entry)  # refused: there is no such batch
            raise
        return self._batches.keep(msgspec.structs.replace(entry, id=batch_id))

    async def _wait(self, entry: Submitted) -> tuple[str, Any]:
        """Returns (status, batch) once a batch has ended; "lost" when it does not exist."""
        pause, most = self._poll_s
        until = time.monotonic() + MOST_WAIT_S
        while time.monotonic() < until:
            batch = await self._api.look(entry.id)
            if batch is None:
                return "lost", None
            done = max(0, batch.request_counts.completed) if batch.request_counts else 0
            self._progress(entry.id, batch.status, done, len(entry.digests))
            if batch.status in ENDED:
                return batch.status, batch
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, most)
        message = f"batch {entry.id} has not ended within {MOST_WAIT_S / 3600:.0f} h"
        raise CallError(f"{message}; a later run looks at it again", ErrorKind.TIMEOUT)

    async def _collect(self, entry: Submitted, batch: Any) -> tuple[list[str], str]:
        """Hands out what a batch brought; returns (digests worth another attempt, why)."""
        if batch is None:
            return list(entry.digests), "the endpoint does not know it"
        left = dict.fromkeys(entry.digests)
        why = self._api.reason(batch)
        for name in (batch.output_file_id, batch.error_file_id):
            if not name:
                continue
            async for outcome in self._api.outcomes(name, len(entry.digests)):
                if outcome.digest not in left:
                    continue
                again = self._take(outcome, entry)
                if again:
                    why = ADAPTED if ADAPTED in (why, again) else why or again
                else:
                    del left[outcome.digest]
        return list(left), why

    def _take(self, outcome: Outcome, entry: Submitted) -> str:
        """Hands an outcome to the waiting call; returns why to try it again, or ""."""
        job = self._waiting.get(outcome.digest)
        call = job.call if job else Call(stage="batch", name="", model=entry.model, user="")
        used, failure = Usage(), outcome.failure
        if failure is None:
            answer, used = read_answer(outcome.body, call)
            if isinstance(answer, Completion):
                self._waiting.answer(outcome.digest, job, answer, used)
                return ""
            failure = answer
        if job is None:
            return failure.message  # submitted again if it is asked for again
        job.paid += used
        body = job.body or self._dialect(entry.model).arguments(call)
        if failure.refused and self._dialect(entry.model).adapt(body, failure.refused):
            return ADAPTED
        if failure.again:
            return failure.message
        self._waiting.fail([job], CallError(failure.message, failure.kind))
        return ""
