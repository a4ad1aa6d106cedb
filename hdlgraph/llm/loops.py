"""Runs coroutines on an event loop, and holds what a client has open on one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from hdlgraph.llm.endpoint.rate_limits import RateLimits

if TYPE_CHECKING:
    import openai

    from hdlgraph.llm.away import HttpAway
    from hdlgraph.llm.call import Completion
    from hdlgraph.settings.records import LlmSettings

T = TypeVar("T")
_open: list[Connections] = []


class Connections:
    """What one client holds on the running loop: connections, slots, calls under way."""

    def __init__(self, http: openai.AsyncOpenAI | HttpAway, llm: LlmSettings) -> None:
        self.http = http
        self.loop = asyncio.get_running_loop()
        self.slots = asyncio.Semaphore(llm.concurrency)
        self.limits = RateLimits(llm)
        self.pending: dict[str, asyncio.Future[Completion]] = {}
        self.tasks: set[asyncio.Task[Any]] = set()
        self.closed = False
        _open[:] = [one for one in _open if not one.loop.is_closed()]
        _open.append(self)

    async def cancel(self) -> None:
        """Cancels the calls under way, and waits until they have cleaned up."""
        others = self.tasks - {asyncio.current_task(self.loop)}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def close(self) -> None:
        """Closes the connections; calls under way fail and are not repeated."""
        self.closed = True
        if self in _open:
            _open.remove(self)
        await self.http.close()


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine, run to its end on an event loop of its own.

    Ctrl-C cancels it, lets it clean up, closes the connections of all clients that it used, and
    raises KeyboardInterrupt. Where a loop is running already (a notebook), it runs in a thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _on_new_loop(_closing(coroutine))
    return _in_thread(_closing(coroutine))


def _on_new_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    # Not asyncio.run: importing graphrag replaces it by one that goes on with the last loop.
    with asyncio.Runner() as runner:
        return runner.run(coroutine)


def _in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    from concurrent.futures import ThreadPoolExecutor

    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def main() -> T:
        started.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await coroutine

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(_on_new_loop, main())
        try:
            return future.result()
        except KeyboardInterrupt:
            for loop, task in started:
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)
            raise  # leaving the block waits until it has cleaned up


async def _closing(coroutine: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    try:
        return await coroutine
    finally:
        for opened in [one for one in _open if one.loop is loop]:
            await opened.close()
