"""What the stub endpoint does and what it was asked: its settings and counters."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from hdlgraph.eval.stubs.faults import Faults

Reply = Callable[[dict[str, Any]], "str | dict[str, Any]"]


def default_reply(body: dict[str, Any]) -> str | dict[str, Any]:
    """Returns an object of the shape asked for, else a sentence that names the question."""
    shape = body.get("response_format") or {}
    if shape.get("type") == "json_schema":
        found: dict[str, Any] = example(shape["json_schema"].get("schema", {}))
        return found
    if shape.get("type") == "json_object":
        return {"answer": "stub"}
    digest = hashlib.sha256(body["messages"][-1]["content"].encode()).hexdigest()[:8]
    return f"Stub answer {digest}."


def example(schema: dict[str, Any]) -> Any:
    """Returns the plainest value that a JSON schema admits."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [example(schema.get("items", {"type": "string"}))]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "stub"


class Behaviour:
    """What a stub answers and counts; all arguments may be set as attributes while it runs.

    Args:
        reply: the content of an answer (a dict becomes JSON), called in the server's thread.
        faults: see the module `faults`; counted over chat requests, batch lines included.
        latency_s: seconds before the first byte of a chat answer.
        chunk_s: seconds between two pieces of a stream.
        retry_after_s: what 429 and 503 ask for; 0 leaves the header out.
        structured: response_format types that are accepted; others answer 400.
        refused: request parameters that answer 400, such as temperature or max_tokens.
        models: names that exist; empty takes all.
        key: the only key that is let in; empty takes all and none.
        context_tokens: longer requests overflow; told by /v1/models when not 0.
        dies_after: chat requests after which every connection is reset; None never.
        count: tokens of a text; None takes hdlgraph's own counter.
        dim: length of the embeddings.
        batch_polls: how often a batch says "in_progress" before it is completed.
        batch_ends: called with the number of a batch (0-based) and its count of calls; returns a
            status or an error code that it ends with instead, or None: "expired" (half of it is
            done), "failed", "cancelled", "token_limit_exceeded".
        batch_loses: numbers of the submissions that are taken, but whose answer is lost.
        lacks: paths that answer 404, such as "files" or "models".
    """

    def __init__(
        self,
        reply: Reply = default_reply,
        faults: Faults | None = None,
        *,
        latency_s: float = 0.0,
        chunk_s: float = 0.0,
        retry_after_s: float = 0.0,
        structured: Collection[str] = ("json_schema", "json_object", "text"),
        refused: Collection[str] = (),
        models: Collection[str] = (),
        key: str = "",
        context_tokens: int = 0,
        dies_after: int | None = None,
        count: Callable[[str], int] | None = None,
        dim: int = 8,
        batch_polls: int = 1,
        batch_ends: Callable[[int, int], str | None] | None = None,
        batch_loses: Collection[int] = (),
        lacks: Collection[str] = (),
        port: int = 0,
    ) -> None:
        self.reply = reply
        self.faults = faults
        self.latency_s = latency_s
        self.chunk_s = chunk_s
        self.retry_after_s = retry_after_s
        self.structured = structured
        self.refused = refused
        self.models = models
        self.key = key
        self.context_tokens = context_tokens
        self.dies_after = dies_after
        self.count = count or _counter()
        self.dim = dim
        self.batch_polls = batch_polls
        self.batch_ends = batch_ends
        self.batch_loses = batch_loses
        self.lacks = lacks
        self.port = port
        self.keep = True  # remember the requests
        self.forget()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}

    def forget(self) -> None:
        """Sets all counters to zero."""
        self.requests: list[dict[str, Any]] = []
        """Decoded bodies of the chat requests, in the order of arrival."""
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        """Seconds of the monotonic clock at which the chat requests arrived."""
        self.calls = 0
        """Chat requests, failed ones included."""
        self.answered = 0
        """Chat requests that got a full answer: what a real endpoint would charge."""
        self.input_tokens = 0
        self.output_tokens = 0
        self.paths: Counter[str] = Counter()
        self.under_way = 0
        self.most_under_way = 0

    async def stopped(self) -> None:
        """Returns when the stub ends: what a hanging request waits for."""
        raise NotImplementedError


def _counter() -> Callable[[str], int]:
    try:
        from hdlgraph.llm.tokens import count_tokens
    except ImportError:
        return quarter
    return count_tokens


def quarter(text: str) -> int:
    """Returns a rough number of tokens, for load tests."""
    return len(text) // 4 + 1
