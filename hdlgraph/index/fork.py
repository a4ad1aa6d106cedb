"""Runs work in a forked process beside this one, so that linking and embedding overlap."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.parse.loss import FROM_OUTSIDE
from hdlgraph.safety.child_process import end_with

T = TypeVar("T")


class Beside(Generic[T]):
    """Runs `work` in a forked process; its value or its error comes back from `result`.

    Where forking is not safe (anywhere but on Linux) the work is done at once, here.

    Args:
        name: what the work is, for messages.
        work: the work.
        limit_s: seconds after which the process is ended and the work has failed.
    """

    def __init__(self, name: str, work: Callable[[], T], limit_s: float = float("inf")) -> None:
        self.name = name
        self._work = work
        self._limit_s = limit_s
        self._end = time.monotonic() + limit_s
        self._value: T | None = None
        self._process: Any = None
        if sys.platform != "linux":
            self._value = work()
            return
        import multiprocessing

        context = multiprocessing.get_context("fork")
        self._pipe, far = context.Pipe(duplex=False)
        self._process = context.Process(target=_child, args=(work, far, os.getpid()), daemon=True)
        self._process.start()
        far.close()

    def result(self) -> T:
        """Waits for the work and returns its value, or raises what it raised.

        Where somebody, or a system short of memory, has killed the process, the work is done once
        more, here: with one process less there is more memory for it.

        Raises:
            HdlgraphError: the process crashed, or took too long.
        """
        if self._process is None:
            return self._value  # type: ignore[return-value]
        left = max(0.0, self._end - time.monotonic())
        try:
            if not self._pipe.poll(None if left == float("inf") else left):
                self.stop()
                raise HdlgraphError(
                    f"{self.name}: no end after {self._limit_s:.0f} s; the former index is still "
                    "valid. Leave files out with --exclude"
                )
            done, value = self._pipe.recv()
        except EOFError as error:
            self._process.join()
            code = self._process.exitcode
            if -code in FROM_OUTSIDE:
                return self._work()
            raise HdlgraphError(
                f"{self.name}: its process ended with code {code}, most likely for want of "
                "memory; the former index is still valid"
            ) from error
        self._process.join()
        if not done:
            raise value
        return value

    def stop(self) -> None:
        """Ends the process if it is still at work (its value is not wanted any more)."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join()


def _child(work: Callable[[], Any], pipe: Any, parent: int) -> None:
    try:
        end_with(parent)
        pipe.send((True, work()))
    except BaseException as error:
        pipe.send((False, error))
    finally:
        # No clean-up of objects that belong to the parent.
        os._exit(0)


@contextmanager
def no_collection() -> Iterator[None]:
    """Switches cyclic garbage collection off: facts are millions of objects without cycles."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
