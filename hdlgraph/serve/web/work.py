"""Work that takes time, done by threads beside the event loop, with a bounded queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from starlette.requests import Request

T = TypeVar("T")

LOOK = 0.2
"""Seconds between looks whether the client still waits."""


class Busy(Exception):
    """Too much is waiting already; `seconds` is when to ask again."""

    def __init__(self, seconds: int = 1) -> None:
        super().__init__("the server has too much to do just now; ask again in a moment")
        self.seconds = seconds


class Gone(Exception):
    """The client has left before its answer was ready."""


class Lane:
    """Some threads and the places before them.

    Args:
        threads: how many pieces of work are done at one time.
        places: how many more may wait; further ones are refused.
        name: of its threads.
    """

    def __init__(self, threads: int, places: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"web-{name}")
        self._most = threads + places
        self._taken = 0

    async def run(self, request: Request, work: Callable[..., T], *arguments: object) -> T:
        """Returns what `work` returns; called on the event loop, which goes on meanwhile.

        Raises:
            Busy: no place is free.
            Gone: the client has left; work that had not begun is not begun.
        """
        waiting = asyncio.wrap_future(self.start(work, *arguments))
        try:
            while not (await asyncio.wait({waiting}, timeout=LOOK))[0]:
                if await request.is_disconnected():
                    raise Gone
            return waiting.result()
        finally:
            if not waiting.done():
                waiting.cancel()

    def start(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Returns what `work` will return; its place is free when it has ended, or is cancelled.

        Raises:
            Busy: no place is free.
        """
        if self._taken >= self._most:
            raise Busy
        loop = asyncio.get_running_loop()
        self._taken += 1
        future = self._pool.submit(work, *arguments)

        def freed(_: Future[T]) -> None:
            try:
                loop.call_soon_threadsafe(self._free)
            except RuntimeError:  # the server has stopped
                self._free()

        future.add_done_callback(freed)
        return future

    def _free(self) -> None:
        self._taken -= 1

    def close(self) -> None:
        """Lets the threads end; what waits is not begun any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
