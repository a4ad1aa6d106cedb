"""GraphRAG's chat model: its calls go through hdlgraph's own client.

So the endpoint, the key, the limits and the repetitions (503 and broken connections too, which
GraphRAG's own do not cover) are configured once, and an answer that was paid for is not paid
again: its key names the endpoint, the model, the arguments and every word of the prompt, which
GraphRAG's cache does not. One of the few importers of graphrag.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import BudgetError, CallError, HdlgraphError
from hdlgraph.llm.call import Call, Completion
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.llm.client import Client
    from hdlgraph.llm.spend import Spending

ANSWER_TOKENS = 4000  # of a list of entities or an answer to a question; reserved, rarely used


@dataclass
class Talk:
    """The calls of one GraphRAG build, or of the questions asked of its tables.

    `folder` (the index folder) keeps the answers, None keeps none. `failed` are the prompts that
    got no answer, with the reason; `stopped` is why nothing more is sent.
    """

    settings: Settings
    folder: Path | None = None
    spending: Spending | None = None
    on_answer: Callable[[str], None] = lambda stage: None
    failed: list[tuple[str, str]] = field(default_factory=list)
    stopped: HdlgraphError | None = None
    _client: Client | None = None

    @property
    def client(self) -> Client:
        """Returns the client, opened at first use.

        Raises:
            UsageError: no endpoint is configured, or its key is missing.
        """
        if self._client is None:
            from hdlgraph.llm.client import Client
            from hdlgraph.llm.session import open_client

            if self.folder is None:
                self._client = Client(self.settings.llm, None, self.spending)
            else:
                self._client = open_client(self.settings, self.folder, self.spending)
        return self._client

    async def complete(self, call: Call) -> Completion:
        """Returns an answer; what fails is remembered, because GraphRAG only logs it."""
        try:
            if self.stopped is not None:
                raise self.stopped
            completion = await self.client.complete(call)
        except HdlgraphError as error:
            self._remember(call, error)
            raise
        self.on_answer(call.stage)
        return completion

    def stream(self, call: Call) -> Iterator[str]:
        """Yields the pieces of an answer."""
        return self.client.stream(call)

    def _remember(self, call: Call, error: HdlgraphError) -> None:
        if isinstance(error, CallError) and not error.kind.stops_run:
            self.failed.append((call.messages[0]["content"], str(error)))
        elif self.stopped is None:
            self.stopped = error

    def why_not(self, text: str) -> str:
        """Returns why a prompt that holds this text got no answer, "" when it got one."""
        return next((why for prompt, why in self.failed if text in prompt), "")

    @property
    def out_of_budget(self) -> bool:
        """Returns whether the run's limit ended the calls."""
        return isinstance(self.stopped, BudgetError)


def call_of(
    messages: str | Sequence[Any], *, stage: str, model: str, max_tokens: int, temperature: float,
    schema: dict[str, Any] | None = None,
) -> Call:  # fmt: skip
    """Returns GraphRAG's messages as a call."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    turns = [_turn(message) for message in messages]
    system = ""
    if len(turns) > 1 and turns[0][0] in ("system", "developer"):
        system = turns.pop(0)[1]
    return Call(
        stage=stage,
        name=f"GraphRAG {stage}",
        model=model,
        system=system,
        history=tuple(turns[:-1]),
        user=turns[-1][1],
        schema=schema,
        max_tokens=max_tokens,
        temperature=temperature,
    )


def _turn(message: Any) -> tuple[str, str]:
    values: Mapping[str, Any] = message if isinstance(message, Mapping) else message.model_dump()
    content = values.get("content")
    if not isinstance(content, str):
        content = "".join(
            part if isinstance(part, str) else part.get("text", "") for part in content or ()
        )
    return str(values.get("role")), content


def completion(talk: Talk, stage: str, model: str, *, tokenizer: Any, metrics_store: Any) -> Any:
    """Returns GraphRAG's completion model for one stage of calls."""
    from graphrag_llm.completion import LLMCompletion

    class HdlCompletion(LLMCompletion):
        """Answers by the client of hdlgraph."""

        def __init__(self) -> None:
            """Nothing is opened before the first call."""

        def completion(self, /, **kwargs: Any) -> Any:
            call, shape = _asked(talk, stage, model, kwargs)
            pieces = talk.stream(call)
            if kwargs.get("stream"):
                return (_chunk(piece, model) for piece in pieces)
            return _response(Completion(text="".join(pieces), model=model), shape)

        async def completion_async(self, /, **kwargs: Any) -> Any:
            call, shape = _asked(talk, stage, model, kwargs)
            if kwargs.get("stream"):
                return _chunks(talk, call, model)
            return _response(await talk.complete(call), shape)

        @property
        def metrics_store(self) -> Any:
            return metrics_store

        @property
        def tokenizer(self) -> Any:
            return tokenizer

    return HdlCompletion()


def _asked(talk: Talk, stage: str, model: str, kwargs: Mapping[str, Any]) -> tuple[Call, Any]:
    """Returns the call, and the pydantic model that its answer must have."""
    llm = talk.settings.llm
    shape = kwargs.get("response_format")
    temperature = kwargs.get("temperature")
    limit = kwargs.get("max_completion_tokens") or kwargs.get("max_tokens")
    call = call_of(
        kwargs["messages"],
        stage=stage,
        model=model,
        max_tokens=int(limit or max(ANSWER_TOKENS, llm.output_tokens)),
        temperature=llm.temperature if temperature is None else float(temperature),
        schema=_strict(shape.model_json_schema()) if shape is not None else None,
    )
    return call, shape


def _strict(schema: Any) -> Any:
    """Returns a JSON schema in which every property is required, as endpoints ask for."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _strict(value) for key, value in schema.items()}
    if found.get("type") == "object" and "properties" in found:
        found |= {"required": list(found["properties"]), "additionalProperties": False}
    return found


def _response(completion: Completion, shape: Any) -> Any:
    from graphrag_llm.types import LLMCompletionResponse

    used = completion.usage
    message = {"role": "assistant", "content": completion.text}
    finish = "length" if completion.finish == "length" else "stop"
    found: Any = LLMCompletionResponse.model_validate(
        {
            "id": "hdlgraph",
            "object": "chat.completion",
            "created": 0,
            "model": completion.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": used.input_tokens,
                "completion_tokens": used.output_tokens,
                "total_tokens": used.input_tokens + used.output_tokens,
            },
        }
    )
    if shape is not None:
        from hdlgraph.llm.structured import parse_json

        found.formatted_response = shape(**parse_json(completion.text))
    return found


async def _chunks(talk: Talk, call: Call, model: str) -> AsyncIterator[Any]:
    """Yields the stream's pieces; it is read in a thread, since it blocks."""
    pieces = talk.stream(call)
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield _chunk(piece, model)


def _chunk(text: str, model: str) -> Any:
    from graphrag_llm.types import LLMCompletionChunk

    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    frame = {"id": "hdlgraph", "object": "chat.completion.chunk", "created": 0, "model": model}
    return LLMCompletionChunk.model_validate({**frame, "choices": [choice]})
