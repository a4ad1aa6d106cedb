"""The requests of the Batch API: upload, submit, look, fetch; each repeated where that is safe."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from hdlgraph.errors import CallError, UsageError
from hdlgraph.llm.endpoint import find_endpoint
from hdlgraph.llm.retry import Failure, connection_failure, status_failure
from hdlgraph.settings import LlmSettings

T = TypeVar("T")
MARK = "hdlgraph"  # metadata field that carries the key of a batch
LOOKED_AT = 300  # newest batches searched for one whose id was lost
LOST_LOOKS = 60  # looks without an answer in a row before a batch is left to a later run
AGAIN = frozenset({"batch_expired", "batch_cancelled"})  # codes of lines that were never run


class Line(msgspec.Struct, frozen=True):
    """The outcome of one call of a batch: a response body, or a failure."""

    digest: str
    body: Any = None
    failure: Failure | None = None


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
                return str((await self._client.files.create(file=file, purpose="batch")).id)
            except openai.APIStatusError as error:
                if error.status_code in (404, 405, 501):
                    raise UsageError(
                        f"{self.label} has no Batch API (it answered {error.status_code} to an "
                        "upload): send the calls one by one, without the batch option"
                    ) from error
                raise

        return await self._repeated(send, self._llm.retries)

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
            batch = await self._client.batches.create(
                input_file_id=file,
                endpoint=self._url,
                completion_window="24h",
                metadata={MARK: key},
            )
            return str(batch.id)

        return await self._repeated(send, self._llm.retries)

    async def find(self, key: str) -> str:
        """Returns the id of the batch that carries a key, "" when there is none (CallError)."""
        return await self._repeated(lambda: self._find(key), self._llm.retries)

    async def _find(self, key: str) -> str:
        seen = 0
        async for batch in self._client.batches.list(limit=100):
            if (batch.metadata or {}).get(MARK) == key:
                return str(batch.id)
            seen += 1
            if seen >= LOOKED_AT:
                break
        return ""

    async def look(self, batch_id: str) -> Any:
        """Returns a batch as it is now, None when the endpoint does not know it (CallError)."""

        async def ask() -> Any:
            return await self._client.batches.retrieve(batch_id)

        try:
            return await self._repeated(ask, LOST_LOOKS)
        except CallError as error:
            if error.kind == "model":  # 404
                return None
            raise

    async def lines(self, file: str) -> list[Line]:
        """Returns the outcomes that a result file holds (CallError)."""

        async def ask() -> bytes:
            return bytes((await self._client.files.content(file)).content)

        data = await self._repeated(ask, LOST_LOOKS)
        return [line for raw in data.splitlines() if (line := self._line(raw)) is not None]

    def _line(self, raw: bytes) -> Line | None:
        try:
            found = msgspec.json.decode(raw, type=dict[str, Any])
            digest = str(found["custom_id"])
        except (msgspec.MsgspecError, KeyError):
            return None
        response = found.get("response")
        body = response.get("body") if isinstance(response, dict) else None
        status = response.get("status_code") if isinstance(response, dict) else None
        if status == 200:
            return Line(digest, body)
        if isinstance(status, int) and 300 <= status < 600:
            return Line(digest, failure=self._status(status, body))
        error = found.get("error")
        told = error if isinstance(error, dict) else {}
        words = self._endpoint.clean(str(told.get("message") or "no reason given"))
        again = told.get("code") in AGAIN
        return Line(digest, failure=Failure("server", words, again=again))

    def _status(self, status: int, body: Any) -> Failure:
        import httpx
        import openai

        request = httpx.Request("POST", self._endpoint.base_url)
        response = httpx.Response(status, request=request)
        inner = body.get("error", body) if isinstance(body, dict) else body
        error = openai.APIStatusError("", response=response, body=inner)
        return status_failure(error, self._endpoint, "the model")

    def reason(self, batch: Any) -> str:
        """Returns why a batch did not complete: a code or the endpoint's words; "" if it did."""
        if batch.status == "completed":
            return ""
        for error in (batch.errors.data or []) if batch.errors else []:
            if error.code == "token_limit_exceeded":
                return "token_limit_exceeded"
            return self._endpoint.clean(error.message or error.code or "")
        return ""

    async def tidy(self, file: str, batch: Any) -> None:
        """Removes the files of a collected batch from the endpoint, as far as it lets."""
        import openai

        names = [file]
        if batch is not None:
            names += [batch.output_file_id, batch.error_file_id]
        for name in filter(None, names):
            with suppress(openai.OpenAIError):
                await self._client.files.delete(name)

    async def _repeated(self, action: Callable[[], Awaitable[T]], most: int) -> T:
        import openai

        first, last = self._pause_s
        for attempt in range(most + 1):
            try:
                return await action()
            except openai.APIStatusError as error:
                failure = status_failure(error, self._endpoint, "batches")
            except openai.APIConnectionError as error:
                failure = connection_failure(error, self._endpoint, self._llm.timeout_s)
            except openai.OpenAIError as error:
                failure = Failure("server", self._endpoint.clean(str(error)), again=True)
            if not failure.again or attempt == most:
                break
            pause = min(first * 2.0 ** min(attempt, 20), last) * self._dice.uniform(0.5, 1.0)
            await asyncio.sleep(failure.pause_s or pause)
        raise CallError(f"batch: {failure.message}", failure.kind)
