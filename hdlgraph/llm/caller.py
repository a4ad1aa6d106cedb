"""What all ways of calling a model share: the endpoint, its health, stored answers, costs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hdlgraph.errors import CallError
from hdlgraph.llm.away import FailedAway
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.endpoint.endpoint import find_endpoint
from hdlgraph.llm.endpoint.health import Health
from hdlgraph.llm.endpoint.retry import Failure, connection_failure, repetitions, status_failure
from hdlgraph.llm.endpoint.wire import Dialect
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.spend import Spending

BACKOFF_S = 0.5
"""Seconds before the first repetition; doubled each time."""


class Caller:
    """Keeps the state that the calls of one client share; the arguments are those of `Client`."""

    def __init__(
        self,
        llm: LlmSettings,
        store: AnswerStore | None,
        meter: Spending | None,
        *,
        backoff_s: float,
        seed: int,
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

    def digest(self, call: Call) -> str:
        """Returns the key of a call's answer in the store."""
        return call.digest(self.endpoint.label)

    def dialect(self, model: str) -> Dialect:
        """Returns what is known of the parameters that a model takes."""
        return self._dialects.setdefault(model, Dialect(self.llm.structured))

    def stored(self, call: Call, digest: str) -> Completion | None:
        """Returns the stored answer of a call, and updates the meter."""
        found = self.store.get(digest) if self.store is not None else None
        if found is not None:
            self.settle(call, found.usage)
        return found

    def keep(self, call: Call, digest: str, completion: Completion) -> None:
        """Stores a new answer, then updates the meter."""
        try:
            if self.store is not None:
                self.store.put(digest, completion)
        finally:
            self.settle(call, completion.usage)

    def settle(self, call: Call, usage: Usage) -> None:
        """Adds what a call took to the costs of the run."""
        if self.meter is not None:
            self.meter.settle(call, usage)

    def repetitions(self, failure: Failure, answers: int) -> int:
        """Returns how often a request may be repeated; `answers` were there when it began."""
        lively, reached = self.health.answers > answers, self.health.reached
        return repetitions(failure, self.llm.retries, lively=lively, reached=reached)

    def give_up(self, call: Call, failure: Failure, usage: Usage) -> CallError:
        """Records that a call failed for good, and returns its error."""
        self.health.lost(call.model, failure)
        self.settle(call, usage + Usage(failed=1))
        message, label = failure.message, self.endpoint.label
        if failure.kind.endpoint_down and label not in message:
            message = f"{label}: {message}"
        return CallError(f"{call.name}: {self.endpoint.clean(message)}", failure.kind)

    def failure(self, error: Exception, model: str) -> Failure:
        """Returns what an error of the openai library means, or of a request sent elsewhere."""
        import openai

        if isinstance(error, FailedAway):
            return error.failure

        if isinstance(error, openai.APIStatusError):
            return status_failure(error, self.endpoint, model)
        return connection_failure(error, self.endpoint, self.llm.timeout_s)
