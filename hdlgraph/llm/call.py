"""What is asked of a language model and what comes back, independent of the endpoint."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

import msgspec


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one or many calls. `stored` calls were answered by an earlier run for nothing."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    stored: int = 0
    retries: int = 0
    failed: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Returns the sum of both."""
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return Usage(*(mine + theirs for mine, theirs in pairs))


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a chat model.

    `stage` and `name` (a path, a question) are for reports. `schema` is the JSON schema of the
    answer, None for prose. `key` names the content that the answer depends on where not every
    word of the messages counts; "" takes the messages.
    """

    stage: str
    name: str
    model: str
    user: str
    system: str = ""
    history: tuple[tuple[str, str], ...] = ()  # earlier (role, text) turns, oldest first
    schema: dict[str, Any] | None = None
    max_tokens: int = 1200
    temperature: float = 0.0
    key: str = ""

    @property
    def messages(self) -> list[dict[str, str]]:
        """Returns the messages as the chat API takes them."""
        first = [("system", self.system)] if self.system else []
        turns = (*first, *self.history, ("user", self.user))
        return [{"role": role, "content": text} for role, text in turns]

    def digest(self, endpoint: str) -> str:
        """Returns 32 hex digits: equal for calls whose answers may stand for each other.

        Args:
            endpoint: provider and address.
        """
        content = self.key or [self.system, *self.history, self.user]
        parts = [endpoint, self.stage, self.model, self.schema, self.max_tokens, self.temperature]
        data = msgspec.json.encode([*parts, content], order="sorted")
        return hashlib.sha256(data).hexdigest()[:32]


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """An answer. `finish` is stop or length (cut at `max_tokens`)."""

    text: str
    model: str
    finish: str = "stop"
    usage: Usage = Usage()
    stored: bool = False


class Model(Protocol):
    """Answers calls: the live client, or the batch that collects them."""

    async def complete(self, call: Call) -> Completion:
        """Returns the answer of one call, from the store where it was answered before.

        Raises:
            CallError: it failed for good, repetitions included.
            BudgetError: the run's limit is reached.
        """
        ...
