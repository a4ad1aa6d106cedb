"""Reads an answer in pieces, as the model writes it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.call import Call, Usage
from hdlgraph.llm.endpoint.bounds import Bounds, answer_s, stream_bytes, text_chars
from hdlgraph.llm.endpoint.retry import Failure, wait_s
from hdlgraph.llm.endpoint.wire import judge, text_of, too_long, usage_of, word_of

if TYPE_CHECKING:
    from hdlgraph.llm.caller import Caller


class Received:
    """The parts of a streamed answer that have arrived so far."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.finish = ""
        self.model = ""
        self.usage: object = None
        self._thinking: bool | None = None  # not known before the first word
        self._held = ""

    def take(self, event: dict[str, Any]) -> str:
        """Takes one event; returns the text to show for it."""
        self.model = word_of(event.get("model")) or self.model
        self.usage = event.get("usage") or self.usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        delta = choice.get("delta") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(delta, dict):
            return ""
        self.finish = word_of(choice.get("finish_reason")) or self.finish
        self.refusal += text_of(delta.get("refusal"))
        piece = text_of(delta.get("content"))
        self.text += piece
        return self._visible(piece)

    def _visible(self, piece: str) -> str:
        """Returns a piece, or nothing while the model thinks aloud."""
        if self._thinking is False:
            return piece
        self._held += piece
        start = self._held.lstrip()
        if self._thinking is None:
            if "<think>".startswith(start[:7]) and len(start) < 7:
                return ""
            self._thinking = start.startswith("<think>")
        if not self._thinking:
            return self._held
        _, end, rest = self._held.partition("</think>")
        if not end or not rest.lstrip():
            return ""
        self._thinking = False
        return rest.lstrip()

    def rest(self) -> str:
        """Returns what was held back at the end of a very short answer."""
        return self._held if self._thinking is None else ""


def stream(caller: Caller, call: Call) -> Iterator[str]:
    """Yields the pieces of an answer; see `Client.stream`."""
    caller.last = None
    digest = caller.digest(call)
    found = caller.stored(call, digest)
    if found is not None:
        caller.last = found
        yield found.text
        return
    if verdict := caller.health.verdict(call.model):
        raise caller.give_up(call, verdict, Usage())
    if caller.meter is not None:
        from hdlgraph.llm.tokens import count_messages

        caller.meter.reserve(call, count_messages(call))
    received = Received()
    try:
        failure, retries = yield from _pieces(caller, call, received)
        usage = _usage(call, received, retries)
    except BaseException:  # given up: what came is paid for
        caller.settle(call, _usage(call, received, 0) if received.text else Usage())
        raise
    model = received.model or call.model
    result = failure or judge(received.text, received.finish, received.refusal, model, usage)
    if isinstance(result, Failure):
        raise caller.give_up(call, result, usage)
    caller.keep(call, digest, result)
    caller.last = result


def _usage(call: Call, received: Received, retries: int) -> Usage:
    """Returns what a stream took; nothing is charged before the first piece."""
    used = (
        usage_of(received.usage, call, received.text)
        if received.usage or received.text
        else Usage()
    )
    return used + Usage(calls=1, retries=retries)


def _pieces(
    caller: Caller, call: Call, received: Received
) -> Generator[str, None, tuple[Failure | None, int]]:
    """Yields pieces to the end; returns the last failure, if any, and the repetitions."""
    tried: Counter[str] = Counter()
    answers = caller.health.answers
    bounds = Bounds(answer_s(caller.llm.timeout_s, call.max_tokens))
    with caller.endpoint.open(caller.llm, bounds) as http:
        while True:
            if pause := caller.health.pause_s():
                time.sleep(pause)
            failure = yield from _once(caller, http, call, received)
            if failure is None:
                caller.health.done(call.model)
                return None, tried.total()
            caller.health.failed_once(failure)
            if received.text:
                return replace(failure, kind=ErrorKind.TRUNCATED), tried.total()
            tried[failure.kind] += 1
            if tried[failure.kind] > caller.repetitions(failure, answers):
                return failure, tried.total() - 1
            time.sleep(wait_s(failure, tried.total() - 1, caller.backoff_s, caller.dice))


def _once(
    caller: Caller, http: Any, call: Call, received: Received
) -> Generator[str, None, Failure | None]:
    """Yields the pieces of one request; returns its failure, None for an answer with its end."""
    import httpx
    import openai

    from hdlgraph.llm.endpoint.events import events

    most = stream_bytes(call.max_tokens)
    dialect = caller.dialect(call.model)
    while True:
        body = dialect.arguments(call, stream=True)
        try:
            # Leaving the block, also by Ctrl-C, closes the connection.
            with http.chat.completions.with_streaming_response.create(**body) as response:
                for event in events(response.iter_bytes(), most):
                    if piece := received.take(event):
                        yield piece
                    if len(received.text) > text_chars(call.max_tokens):
                        return too_long(call)
        except (openai.OpenAIError, httpx.HTTPError) as error:
            failure = caller.failure(error, call.model)
            if received.text or not (failure.refused and dialect.adapt(body, failure.refused)):
                return failure
            continue
        if rest := received.rest():
            yield rest
        if received.finish == "stop" and not received.text and not received.refusal:
            return Failure(ErrorKind.EMPTY, "the model's answer is empty", again=True)
        if received.finish or received.refusal:
            return None
        return Failure(ErrorKind.TRUNCATED, "the answer broke off before its end", again=True)
