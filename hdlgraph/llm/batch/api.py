"""Sends the requests of the Batch API, and repeats each where that is safe."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any, TypeVar

import msgspec

from hdlgraph.errors import CallError, ErrorKind, HdlgraphError, UsageError
from hdlgraph.llm.batch.replies import Batch, Named, Outcome, Page
from hdlgraph.llm.endpoint.bounds import MOST_BYTES, answer_s, too_large, too_slow
from hdlgraph.llm.endpoint.endpoint import find_endpoint
from hdlgraph.llm.endpoint.retry import Failure, connection_failure, status_failure
from hdlgraph.llm.endpoint.wire import decode
from hdlgraph.settings.records import LlmSettings

T = TypeVar("T")
MARK = "hdlgraph"  # metadata field that carries the key of a batch
PAGES = 3  # of a hundred batches each, searched for one whose id was lost
SLOWEST = 50_000  # bytes per second of an upload
CALL_S = 0.25  # seconds added for each call to the time that a result file may take
CALL_BYTES = 1 << 18  # of a result file for each call, more than any model answers
LOST_LOOKS = 60  # looks without an answer in a row before a batch is left to a later run
AGAIN = frozenset({"batch_expired", "batch_cancelled"})  # codes of lines that were never run


class BatchApi:
    """The endpoint's files and batches.

    Args:
        llm: the endpoint.
        pause_s: seconds between two attempts, at first and at most.

    Raises:
        UsageError: no endpoint is configured, or its key is missing.
    """

    def __init__(self, llm: LlmSettings, pause_s: tuple[float, float]) -> None:
        self._llm = llm
        self._endpoint = find_endpoint(llm)
        self.label = self._endpoint.label
        azure = self._endpoint.provider == "azure"
        self._url: Any = "/chat/completions" if azure else "/v1/chat/completions"
        self._pause_s = pause_s
        self._dice = random.Random(self.label)
        self._opened: Any = None

    @property
    def _client(self) -> Any:
        if self._opened is None:
            self._opened = self._endpoint.open_async(self._llm)
        return self._opened

    async def close(self) -> None:
        """Closes the connections."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    def line(self, digest: str, body: dict[str, Any]) -> bytes:
        """Returns one line of a batch file."""
        request = {"custom_id": digest, "method": "POST", "url": self._url, "body": body}
        return msgspec.json.encode(request) + b"\n"

    async def upload(self, data: bytes) -> str:
        """Returns the id of a new file.

        Raises:
            CallError: it cannot be sent.
            UsageError: the endpoint has no Batch API.
        """
        import openai

        async def send() -> str:
            file = ("hdlgraph.jsonl", data, "application/jsonl")
            try:
                made = await self._client.files.with_raw_response.create(file=file, purpose="batch")
                return _decoded(made.content, Named).id
            except openai.APIStatusError as error:
                if error.status_code in (404, 405, 501):
                    raise UsageError(
                        f"{self.label} has no Batch API (it answered {error.status_code} to an "
                        "upload): send the calls one by one, without the batch option"
                    ) from error
                raise

        return await self._repeated(send, self._llm.retries, len(data) / SLOWEST)

    async def submit(self, file: str, key: str) -> str:
        """Returns the id of a new batch.

        Args:
            file: id of the uploaded file.
            key: by which the batch is found when the answer was lost on its way, so that it is
                not made twice.

        Raises:
            CallError: it cannot be made.
        """
        sent = False

        async def send() -> str:
            nonlocal sent
            if sent and (found := await self._find(key)):
                return found
            sent = True
            made = await self._client.batches.with_raw_response.create(
                input_file_id=file,
                endpoint=self._url,
                completion_window="24h",
                metadata={MARK: key},
            )
            return _decoded(made.content, Named).id

        return await self._repeated(send, self._llm.retries)

    async def find(self, key: str) -> str:
        """Returns the id of the batch that carries a key, "" when there is none (CallError)."""
        return await self._repeated(lambda: self._find(key), self._llm.retries)

    async def _find(self, key: str) -> str:
        last: dict[str, Any] = {}
        for _ in range(PAGES):
            listed = await self._client.batches.with_raw_response.list(limit=100, **last)
            page = _decoded(listed.content, Page)
            for batch in page.data:
                if isinstance(batch.metadata, dict) and batch.metadata.get(MARK) == key:
                    return batch.id
            if not page.has_more or not page.data:
                break
            last = {"after": page.data[-1].id}
        return ""

    async def look(self, batch_id: str) -> Batch | None:
        """Returns a batch as it is now, None when the endpoint does not know it (CallError)."""

        async def ask() -> Batch:
            found = await self._client.batches.with_raw_response.retrieve(batch_id)
            return _decoded(found.content, Batch)

        try:
            return await self._repeated(ask, LOST_LOOKS)
        except CallError as error:
            if error.kind is ErrorKind.MODEL:  # 404
                return None
            raise

    async def outcomes(self, file: str, calls: int) -> AsyncIterator[Outcome]:
        """Yields the outcomes that a result file holds; some twice where the connection broke.

        Args:
            file: its id.
            calls: calls of the batch; a longer file than they could bring is refused.

        Raises:
            CallError: the file cannot be read to its end.
        """
        first, last = self._pause_s
        for attempt in range(LOST_LOOKS + 1):
            try:
                async for raw in self._raw_lines(file, calls):
                    if (outcome := self._outcome(raw)) is not None:
                        yield outcome
                return
            except Exception as error:
                failure = self._meaning(error)
            if not failure.again or attempt == LOST_LOOKS:
                break
            await asyncio.sleep(failure.pause_s or self._pause(attempt, first, last))
        raise CallError(f"batch: {failure.message}", failure.kind)

    async def _raw_lines(self, file: str, calls: int) -> AsyncIterator[bytes]:
        """Yields the lines of a file as they come: it may be larger than the memory."""
        from hdlgraph.llm.endpoint.body import Unusable

        most_s = answer_s(self._llm.timeout_s) + calls * CALL_S
        until = asyncio.get_running_loop().time() + most_s
        held, size = bytearray(), 0
        async with AsyncExitStack() as opened:
            async with asyncio.timeout_at(until):
                asked = self._client.files.with_streaming_response.content(file)
                response = await opened.enter_async_context(asked)
            pieces = response.iter_bytes()
            while True:
                async with asyncio.timeout_at(until):
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                size += len(piece)
                if size > MOST_BYTES + calls * CALL_BYTES:
                    raise Unusable(too_large(MOST_BYTES + calls * CALL_BYTES))
                first, *others = piece.split(b"\n")
                held += first
                if len(held) > MOST_BYTES:
                    raise Unusable(too_large(MOST_BYTES).replace("answer", "line of a file"))
                if others:
                    yield bytes(held)
                    for line in others[:-1]:
                        yield line
                    held = bytearray(others[-1])
            yield bytes(held)

    def _outcome(self, raw: bytes) -> Outcome | None:
        try:
            found: Any = decode(raw)
            digest = found["custom_id"]
        except (ValueError, LookupError, TypeError):
            return None
        if not isinstance(digest, str):
            return None
        response = found.get("response")
        body = response.get("body") if isinstance(response, dict) else None
        status = response.get("status_code") if isinstance(response, dict) else None
        if status == 200:
            return Outcome(digest, body)
        if isinstance(status, int) and 300 <= status < 600:
            return Outcome(digest, failure=self._status(status, body))
        error = found.get("error")
        details = error if isinstance(error, dict) else {}
        words = self._endpoint.clean(str(details.get("message") or "no reason given"))
        again = details.get("code") in AGAIN
        return Outcome(digest, failure=Failure(ErrorKind.SERVER, words, again=again))

    def _status(self, status: int, body: Any) -> Failure:
        import httpx
        import openai

        request = httpx.Request("POST", self._endpoint.base_url)
        response = httpx.Response(status, request=request)
        inner = body.get("error", body) if isinstance(body, dict) else body
        error = openai.APIStatusError("", response=response, body=inner)
        return status_failure(error, self._endpoint, "the model")

    def reason(self, batch: Batch) -> str:
        """Returns why a batch did not complete: a code or the endpoint's words; "" if it did."""
        if batch.status == "completed":
            return ""
        for error in batch.errors.data or [] if batch.errors else []:
            if error.code == "token_limit_exceeded":
                return "token_limit_exceeded"
            return self._endpoint.clean(error.message or error.code or "")
        return ""

    async def tidy(self, file: str, batch: Batch | None) -> None:
        """Removes the files of a collected batch from the endpoint, as far as it lets."""
        import openai

        names: list[str | None] = [file]
        if batch is not None:
            names += [batch.output_file_id, batch.error_file_id]
        for name in filter(None, names):
            with suppress(openai.OpenAIError, TimeoutError):
                async with asyncio.timeout(answer_s(self._llm.timeout_s)):
                    await self._client.files.with_raw_response.delete(name)

    async def _repeated(
        self, action: Callable[[], Awaitable[T]], most: int, more_s: float = 0.0
    ) -> T:
        """Returns what an action returns; `more_s` are added to the seconds that it may take."""
        first, last = self._pause_s
        for attempt in range(most + 1):
            try:
                async with asyncio.timeout(answer_s(self._llm.timeout_s) + more_s):
                    return await action()
            except (HdlgraphError, asyncio.CancelledError):
                raise
            except Exception as error:
                failure = self._meaning(error)
            if not failure.again or attempt == most:
                break
            await asyncio.sleep(failure.pause_s or self._pause(attempt, first, last))
        raise CallError(f"batch: {failure.message}", failure.kind)

    def _pause(self, attempt: int, first: float, last: float) -> float:
        return min(first * 2.0 ** min(attempt, 20), last) * self._dice.uniform(0.5, 1.0)

    def _meaning(self, error: Exception) -> Failure:
        """Returns what an error of a request means; others are raised."""
        import httpx
        import openai

        if isinstance(error, TimeoutError):
            advice = too_slow(answer_s(self._llm.timeout_s))
            return Failure(ErrorKind.TIMEOUT, f"{self.label} {advice}")
        if isinstance(error, ValueError):
            return Failure(ErrorKind.SERVER, f"{self.label} answered no record of a file or batch")
        if isinstance(error, openai.APIStatusError):
            return status_failure(error, self._endpoint, "batches")
        if isinstance(error, openai.APIConnectionError | httpx.HTTPError):
            return connection_failure(error, self._endpoint, self._llm.timeout_s)
        if isinstance(error, openai.OpenAIError):
            return Failure(ErrorKind.SERVER, self._endpoint.clean(str(error)), again=True)
        raise error


def _decoded(content: bytes, kind: type[T]) -> T:
    """Returns a record of the Batch API (ValueError when it is none)."""
    return msgspec.json.decode(content, type=kind)
