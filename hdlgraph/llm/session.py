"""Asks a model from ordinary code (threads, notebooks, servers) and waits for its answers.

The client lives on an event loop of its own in a background thread, so that it is opened once,
may be used from several threads, and also where an event loop is running already.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hdlgraph.errors import BudgetError, CallError, EndpointError, ErrorKind, UsageError
from hdlgraph.llm.call import Call
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.llm.client import Client
    from hdlgraph.llm.spend import Spending

T = TypeVar("T")
STORE = "answers.sqlite"
"""Name of the file of paid answers in the index folder."""
RETRIES = 3
"""Most repetitions of a call: somebody is waiting."""
CLOSE_S = 5.0
"""Most seconds to wait for connections to close."""


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """A call whose answer is a JSON object, and the function that reads the value out of it.

    `check` raises ValueError for an object that is not what was asked for.
    """

    call: Call
    check: Callable[[dict[str, Any]], T]


def open_client(
    settings: Settings, folder: Path | None, spending: Spending | None = None
) -> Client:
    """Returns a client that keeps its answers in the index folder.

    An index folder that cannot be written (one shared read-only) keeps none.

    Raises:
        UsageError: no endpoint is configured, or its key is missing.
    """
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.client import Client

    try:
        store = AnswerStore(folder / STORE) if folder else None
    except (OSError, sqlite3.Error):
        store = None
    return Client(settings.llm, store, spending)


class Session:
    """Asks the configured model and waits for its answers; opened at the first question.

    Args:
        settings: settings whose `llm` section names the endpoint.
        folder: the index folder, where answers are kept; None keeps none.
        spending: counts and limits what is spent; None counts alone.

    Raises:
        UsageError: no endpoint is configured, or its key is missing.
    """

    def __init__(
        self, settings: Settings, folder: Path | None, spending: Spending | None = None
    ) -> None:
        from hdlgraph.llm.spend import Spending

        llm = replace(settings.llm, retries=min(settings.llm.retries, RETRIES))
        self.spending = spending or Spending(llm)
        self.client = open_client(replace(settings, llm=llm), folder, self.spending)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._end: Callable[[], Any] = lambda: None

    def ask(self, *requests: Request[Any], most_s: float | None = None) -> list[Any]:
        """Returns the value of each request, or the EndpointError that it failed with.

        The requests are under way together. Those that a limit of the spending does not let through
        have a BudgetError, those that are not answered in `most_s` seconds a CallError.

        Raises:
            UsageError: the endpoint refuses the key or knows no such model.
        """
        future = asyncio.run_coroutine_threadsafe(self._all(requests, most_s), self._running())
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    async def _all(self, requests: tuple[Request[Any], ...], most_s: float | None) -> list[Any]:
        return await asyncio.gather(*(self._one(request, most_s) for request in requests))

    async def _one(self, request: Request[Any], most_s: float | None) -> Any:
        from hdlgraph.llm.structured import ask_json

        try:
            async with asyncio.timeout(most_s):
                return await ask_json(self.client, request.call, request.check)
        except TimeoutError:
            if most_s is None:
                raise
            return CallError(
                f"{self.client.endpoint.label} gave no answer in {most_s:g} s", ErrorKind.TIMEOUT
            )
        except CallError as error:
            if error.kind.user_must_mend:  # falling back would hide it
                raise UsageError(str(error)) from error
            return error
        except (EndpointError, BudgetError) as error:
            return error

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=self._loop.run_forever, name="hdlgraph-model", daemon=True
                )
                thread.start()
                self._end = weakref.finalize(self, _stop, self._loop, thread, self.client)
            return self._loop

    def close(self) -> None:
        """Closes the connections; a later question opens them again."""
        with self._lock:
            self._end()
            self._loop = None


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, client: Client) -> None:
    """Ends what is under way, the connections, the loop and its thread."""
    # Also run when the interpreter ends: whatever is wrong then is nobody's concern any more.
    with suppress(Exception):
        asyncio.run_coroutine_threadsafe(_closed(client), loop).result(timeout=CLOSE_S)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=CLOSE_S)
    if not loop.is_running():
        loop.close()


async def _closed(client: Client) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await client.close()
