"""Calls and clients for the tests that talk to the stub endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from hdlgraph.eval.stubs.faults import Faults
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.call import Call, Completion
from hdlgraph.llm.client import Client, run
from hdlgraph.settings.records import LlmSettings

BACKOFF_S = 1e-5
SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def call(number: int = 0, **changes: Any) -> Call:
    """Returns a call; equal numbers are equal calls."""
    values: dict[str, Any] = {
        "stage": "explain",
        "name": f"file_{number}.sv",
        "model": "stub-model",
        "user": f"Explain file {number}.",
    }
    return Call(**(values | changes))


def settings(stub: Stub, **changes: Any) -> LlmSettings:
    """Returns the settings of a stub."""
    return replace(LlmSettings(provider="openai", base_url=stub.base_url), **changes)


def client(
    stub: Stub, store: AnswerStore | None = None, meter: Any = None, **changes: Any
) -> Client:
    """Returns a client that hardly waits before it repeats."""
    return Client(settings(stub, **changes), store, meter, backoff_s=BACKOFF_S)


def ask(model: Client, *calls: Call) -> list[Completion | BaseException]:
    """Returns answers and errors of calls made at once."""

    async def all_of_them() -> list[Completion | BaseException]:
        waiting: Iterable[Any] = (model.complete(one) for one in calls)
        return await asyncio.gather(*waiting, return_exceptions=True)

    return run(all_of_them())


def one(model: Client, asked: Call) -> Completion:
    """Returns the answer of one call."""
    return run(model.complete(asked))


def no_call_twice(faults: Faults, kinds: Collection[str]) -> Faults:
    """Returns the faults, of `kinds` at most one a call: a wrong answer is asked for once more.

    Which call meets which fault hangs on the order of arrival, which a busy machine changes.
    """
    met: set[str] = set()

    def choose(number: int, body: dict[str, Any]) -> str | None:
        fault, asked = faults(number, body), str(body["messages"])
        if fault in kinds:
            if asked in met:
                return None
            met.add(asked)
        return fault

    return choose
