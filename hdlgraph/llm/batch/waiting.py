"""The calls that wait for the answers of batches: what is set aside for them, and how each ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.errors import CallError
from hdlgraph.llm.batch.jobs import Job
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.spend import BATCH_SHARE, Spending
from hdlgraph.llm.tokens import count_messages

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore


class Waiting:
    """The calls that wait, by the digest of their request.

    Args:
        store: paid answers; takes also those that arrive while nobody waits for them.
        meter: prices and limits; a call of a batch costs half.
    """

    def __init__(self, store: AnswerStore, meter: Spending) -> None:
        self._store, self._meter = store, meter
        self._jobs: dict[str, Job] = {}
        self._collected: dict[str, Usage] = {}  # answers that came before they were asked for

    def stored(self, call: Call, digest: str) -> Completion | None:
        """Returns the answer that is stored already, None without one; it is paid for once."""
        found = self._store.get(digest)
        if found is None:
            return None
        paid = self._collected.pop(digest, None)
        self._meter.settle(call, paid or Usage(stored=1), BATCH_SHARE)
        return msgspec.structs.replace(found, usage=paid, stored=False) if paid else found

    def get(self, digest: str) -> Job | None:
        """Returns the call that waits for an answer, None where none does."""
        return self._jobs.get(digest)

    def put(self, job: Job) -> None:
        """Adds a call."""
        self._jobs[job.digest] = job

    def all(self) -> list[Job]:
        """Returns all calls that wait."""
        return list(self._jobs.values())

    def of(self, digests: Sequence[str]) -> list[Job]:
        """Returns the calls that wait for some of the answers, in their order."""
        return [self._jobs[digest] for digest in digests if digest in self._jobs]

    def hold(self, job: Job) -> None:
        """Sets aside the most that a call can cost, once.

        Raises:
            BudgetError: the run's limit is reached.
        """
        if not job.held:
            self._meter.reserve(job.call, count_messages(job.call), BATCH_SHARE)
            job.held = True

    def answer(self, digest: str, job: Job | None, answer: Completion, used: Usage) -> None:
        """Stores an answer and hands it to the call that waits for it, if one does."""
        self._store.put(digest, answer)
        paid = used + Usage(calls=1) + (job.paid if job else Usage())
        if job is None:
            self._collected[digest] = paid
            return
        del self._jobs[digest]
        self._meter.settle(job.call, paid, BATCH_SHARE)
        if not job.future.done():
            job.future.set_result(msgspec.structs.replace(answer, usage=paid))

    def fail(self, jobs: Sequence[Job], error: BaseException) -> None:
        """Ends calls with an error."""
        for job in jobs:
            self._jobs.pop(job.digest, None)
            self._meter.settle(job.call, job.paid + Usage(calls=1, failed=1), BATCH_SHARE)
            if job.future.done():
                continue
            if isinstance(error, CallError):  # each call names itself
                job.future.set_exception(CallError(f"{job.call.name}: {error}", error.kind))
            else:
                job.future.set_exception(error)
