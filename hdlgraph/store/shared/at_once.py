"""Several transfers at one time, in threads that a program which ends does not wait for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
THREADS = 8


def at_once(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Does the work for every item, for some of them at one time; returns when all is done.

    Raises:
        Exception: the first that `work` raised; no item is begun after it.
    """
    waiting = deque(items)
    failed: list[Exception] = []

    def go_on() -> None:
        while not failed:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            try:
                work(item)
            except Exception as error:
                failed.append(error)

    # Those of a pool would be waited for at the end of a process, with all that they have to do.
    threads = [
        threading.Thread(target=go_on, daemon=True, name="transfer")
        for _ in range(min(THREADS, len(waiting)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
