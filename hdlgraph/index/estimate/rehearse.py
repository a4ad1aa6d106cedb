"""A stand-in for the model: it sends nothing, answers with filler and counts the tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hdlgraph.index.estimate.methods import CONCEPTS_OUT
from hdlgraph.index.explain.by_model.language_model import RunModel
from hdlgraph.index.explain.by_model.passes import EXTRACT
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.llm.call import Call, Completion, Model
from hdlgraph.llm.endpoint.endpoint import label_of

if TYPE_CHECKING:
    from hdlgraph.llm.answers import AnswerStore

T = TypeVar("T")
TYPICAL = 330
"""Output tokens of a usual explanation: 300 by a large model took 320 on average."""
FILLER = "counts the events that arrive on its input and tells when a limit has been reached "


@dataclass
class Counted:
    """The calls of one stage about how many files."""

    files: int = 0
    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    most: int = 0
    typical: int = 0


class Rehearsal(RunModel):
    """Asks a model that sends nothing, and counts what would be sent."""

    def __init__(self, request: Request, meter: Meter) -> None:
        super().__init__(request, meter)
        self.counted: dict[str, Counted] = {}

    def __enter__(self) -> Rehearsal:
        return self

    def run(self, stage: str, work: Callable[[Model], Awaitable[T]]) -> T:  # noqa: ARG002
        """Returns the value of a coroutine that is given the rehearsing model."""
        from hdlgraph.llm.answers import AnswerStore
        from hdlgraph.llm.client import run
        from hdlgraph.llm.session import STORE

        if self._store is None:
            self._store = AnswerStore(self.request.folder / STORE)
        model = _Filler(self.request, self._store, self.counted)

        async def rehearse() -> T:
            return await work(model)

        return run(rehearse())


class _Filler:
    """Answers calls from the store of paid answers, else with filler text."""

    def __init__(self, request: Request, store: AnswerStore, counted: dict[str, Counted]) -> None:
        self.store, self.counted = store, counted
        self.seen: set[tuple[str, str]] = set()
        self.given: dict[str, Completion] = {}
        self.label = label_of(request.settings.llm)
        self.most_items = request.settings.extract.batch

    async def complete(self, call: Call) -> Completion:
        """Returns the stored answer of a call, or filler of its schema."""
        from hdlgraph.llm.tokens import count_messages

        count = self.counted.setdefault(call.stage, Counted())
        count.calls += 1
        count.files += (call.stage, call.name) not in self.seen
        self.seen.add((call.stage, call.name))
        digest = call.digest(self.label)
        known = self.store.get(digest) or self.given.get(digest)
        if known is not None:  # paid before, or by an equal file
            count.stored += 1
            return known
        count.input_tokens += count_messages(call)
        count.most += call.max_tokens
        usual = CONCEPTS_OUT * self.most_items if call.stage == EXTRACT else TYPICAL
        count.typical += min(call.max_tokens, usual)
        text = msgspec.json.encode(filler(call.schema or {}, self.most_items)).decode()
        self.given[digest] = Completion(text=text, model=call.model)
        return self.given[digest]


def filler(schema: Mapping[str, Any], items: int) -> Any:
    """Returns a value that a schema admits, with about as much text as a usual answer.

    Args:
        schema: of a JSON value.
        items: entries of a list whose entries are numbered.
    """
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: filler(part, items) for name, part in schema["properties"].items()}
        case "array":
            return _listed(schema["items"], items)
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return FILLER * 3


def _listed(part: Mapping[str, Any], items: int) -> list[Any]:
    if part.get("type") == "string":
        return ["event counter", "limit detection", "interrupt request", "threshold register"]
    numbered = [
        name for name, one in part.get("properties", {}).items() if one.get("type") == "integer"
    ]
    return [
        {**filler(part, items), **dict.fromkeys(numbered, number)}
        for number in range(1, items + 1)
        if numbered
    ]
