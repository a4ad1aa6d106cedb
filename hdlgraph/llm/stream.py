"""An answer in pieces, as the model writes it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import CallError
from hdlgraph.llm.call import Call, Usage
from hdlgraph.llm.retry import Failure, backoff
from hdlgraph.llm.wire import judge, usage_of

if TYPE_CHECKING:
    from hdlgraph.llm.client import Client


class _Heard:
    """What came of a stream so far."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.finish = ""
        self.model = ""
        self.usage: object = None
        self._thinking: bool | None = None  # not known before the first word
        self._held = ""

    def take(self, chunk: Any) -> str:
        """Takes one event; returns the text to show for it."""
        self.model = getattr(chunk, "model", None) or self.model
        if getattr(chunk, "usage", None):
            self.usage = chunk.usage.model_dump()
        if not getattr(chunk, "choices", None):
            return ""
        choice = chunk.choices[0]
        self.finish = choice.finish_reason or self.finish
        self.refusal += getattr(choice.delta, "refusal", None) or ""
        piece = getattr(choice.delta, "content", None) or ""
        self.text += piece
        return self._shown(piece)

    def _shown(self, piece: str) -> str:
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


def stream(client: Client, call: Call) -> Iterator[str]:
    """Yields the pieces of an answer; see `Client.stream`."""
    client.last = None
    digest = client.digest(call)
    found = client.stored(call, digest)
    if found is not None:
        client.last = found
        yield found.text
        return
    client.health.check(call.model)
    if client.meter is not None:
        from hdlgraph.llm.tokens import count_messages

        client.meter.reserve(call, count_messages(call))
    usage = Usage()
    heard = _Heard()
    try:
        retries = yield from _pieces(client, call, heard)
        used = usage_of(heard.usage, call, heard.text) + Usage(calls=1, retries=retries)
        result = judge(heard.text, heard.finish, heard.refusal, heard.model or call.model, used)
        if isinstance(result, Failure):
            usage = used + Usage(failed=1)
            raise CallError(f"{call.name}: {client.endpoint.clean(result.message)}", result.kind)
    except BaseException as error:
        if not usage.calls and heard.text:  # broken off: what came is paid for
            usage = usage_of(heard.usage, call, heard.text) + Usage(calls=1)
        if isinstance(error, CallError) and not usage.failed:
            usage += Usage(failed=1)
        client.settle(call, usage)
        raise
    client.keep(call, digest, result)
    client.last = result


def _pieces(client: Client, call: Call, heard: _Heard) -> Generator[str, None, int]:
    """Yields pieces to the end of the answer; returns how often the request was repeated."""
    tried: dict[str, int] = {}
    with client.endpoint.open(client.llm) as http:
        while True:
            if pause := client.health.pause_s():
                time.sleep(pause)
            failure = yield from _once(client, http, call, heard)
            if failure is None:
                client.health.done(call.model)
                return sum(tried.values())
            client.health.failed_once(failure)
            count = tried[failure.kind] = tried.get(failure.kind, 0) + 1
            if heard.text or count > client.repetitions(failure):
                client.health.lost(call.model, failure)
                kind = "truncated" if heard.text else failure.kind
                raise CallError(f"{call.name}: {failure.message}", kind)
            if not failure.pause_s:
                time.sleep(backoff(sum(tried.values()) - 1, client.backoff_s, client.dice))


def _once(
    client: Client, http: Any, call: Call, heard: _Heard
) -> Generator[str, None, Failure | None]:
    """Yields the pieces of one request; returns its failure, None for an answer with its end."""
    import httpx
    import openai

    dialect = client.dialect(call.model)
    while True:
        body = dialect.arguments(call, stream=True)
        try:
            # Leaving the block, also by Ctrl-C, closes the connection.
            with http.chat.completions.create(**body) as chunks:
                for chunk in chunks:
                    piece = heard.take(chunk)
                    if piece:
                        yield piece
        except (openai.OpenAIError, httpx.HTTPError, ValueError) as error:
            failure = client.failure(error, call.model)
            if heard.text or not (failure.refused and dialect.adapt(body, failure.refused)):
                return failure
            continue
        if rest := heard.rest():
            yield rest
        if heard.finish == "stop" and not heard.text and not heard.refusal:
            return Failure("empty", "the model's answer is empty", again=True)
        if heard.finish or heard.refusal:
            return None
        return Failure("truncated", "the answer broke off before its end", again=True)
