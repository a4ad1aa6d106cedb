"""Work that takes time, done by threads beside the event loop, with a bounded queue."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from starlette.requests import Request

T = TypeVar("T")

LOOK = 0.2
"""Seconds between looks whether the client still waits."""


MOST_S = 30
"""Seconds after which one who found no place may ask again, at most."""
NEWEST = 0.1
"""How much the newest piece of work counts in how long one takes."""


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
        self._threads, self._most = threads, threads + places
        self._taken = 0
        self._usual = 0.0  # seconds that a piece of work takes

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
            # When half of what waits will be done.
            seconds = self._usual * self._most / self._threads / 2
            raise Busy(min(max(math.ceil(seconds), 1), MOST_S))
        loop = asyncio.get_running_loop()
        self._taken += 1
        future = self._pool.submit(self._timed, work, *arguments)

        def freed(_: Future[T]) -> None:
            try:
                loop.call_soon_threadsafe(self._free)
            except RuntimeError:  # the server has stopped
                self._free()

        future.add_done_callback(freed)
        return future

    def _timed(self, work: Callable[..., T], *arguments: object) -> T:
        """Returns what `work` returns; notes how long it took."""
        started = time.perf_counter()
        try:
            return work(*arguments)
        finally:
            taken = time.perf_counter() - started
            self._usual += NEWEST * (taken - self._usual) if self._usual else taken

    def _free(self) -> None:
        self._taken -= 1

    def close(self) -> None:
        """Lets the threads end; what waits is not begun any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
