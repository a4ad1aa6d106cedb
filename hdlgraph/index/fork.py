"""Runs work in a second process while this one goes on, so that linking and embedding overlap.

Where this process has a single thread of Python's, the second one is forked: it sees all present
objects at no cost. Where other threads run (a notebook, a server), one of them might hold a lock at
that moment, which nobody would ever release in the copy. So a new interpreter is started there, and
the work is sent to it. The idle threads that numpy, Arrow and onnxruntime keep hold no lock while
no other thread of Python's uses them, and the first two prepare for forks.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.parse.lost_workers import FROM_OUTSIDE
from hdlgraph.model.kinds import add_kinds, added_kinds
from hdlgraph.parsers.registry import added_readers, load_readers
from hdlgraph.safety import child_process

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")


class SecondProcess(Generic[T]):
    """Runs `work` in a second process; its value or its error comes back from `result`.

    The process ends with its work: what it gives stands in a file until somebody asks for it.

    Args:
        name: what the work is, for messages.
        work: the work; a `functools.partial` of a function of a module, with absolute paths,
            so that it can be sent to another interpreter. With `waits` it is called with a
            function that waits for what `give` sends and returns it.
        limit_s: seconds after which the process is ended and the work has failed; with `waits`
            they begin at `give`.
        waits: whether the work needs a value that is not known yet.
        apart: whether it is done in a new interpreter in any case: a copy of a large process
            holds all that was there when it was made, even once this one has dropped it.
    """

    def __init__(
        self,
        name: str,
        work: Callable[..., T],
        limit_s: float = float("inf"),
        waits: bool = False,
        apart: bool = False,
    ) -> None:
        self.name = name
        self._work = work
        self._limit_s = limit_s
        self._end = time.monotonic() + limit_s
        self._given: Any = None
        # Open as long as the work: it is the child that reads it.
        self._later = tempfile.TemporaryFile() if waits else None  # noqa: SIM115
        # A pipe would hold the process, and all its memory, until this one has time to read.
        self._outcome = tempfile.TemporaryFile()  # noqa: SIM115
        self._process: BaseProcess | subprocess.Popen[bytes]
        begin = _forked if can_fork() and not apart else _started
        self._process, self._pipe = begin(work, self._outcome, self._later)

    def give(self, value: Any) -> None:
        """Sends the value that the work waits for, in a file: nobody waits for a reader."""
        if self._later is None:
            raise ValueError(f"{self.name}: this work waits for nothing")
        self._given = value
        self._end = time.monotonic() + self._limit_s
        pickle.dump(value, self._later, pickle.HIGHEST_PROTOCOL)
        self._later.flush()
        with suppress(OSError):  # its process has ended: `result` tells of that
            self._pipe.send(True)

    def result(self) -> T:
        """Waits for the work and returns its value, or raises what it raised.

        Where somebody, or a system short of memory, has killed the process, the work is done once
        more, here: with one process less there is more memory for it.

        Raises:
            HdlgraphError: the process crashed, or took too long.
        """
        left = max(0.0, self._end - time.monotonic())
        try:
            if not self._pipe.poll(None if left == float("inf") else left):
                self.stop()
                raise HdlgraphError(
                    f"{self.name}: no end after {self._limit_s:.0f} s; the former index is still "
                    "valid. Leave files out with --exclude"
                )
            self._pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            code = _exit_code(self._process)
            if -code in FROM_OUTSIDE:
                return self._again()
            raise HdlgraphError(
                f"{self.name}: its process ended with code {code}, most likely for want of "
                "memory; the former index is still valid"
            ) from error
        done, value = _read(self._outcome.fileno())
        self._outcome.close()
        _exit_code(self._process)
        if not done:
            raise value
        found: T = value
        return found

    def _again(self) -> T:
        return self._work(lambda: self._given) if self._later else self._work()

    def stop(self) -> None:
        """Ends the process if it is still at work (its value is not wanted any more)."""
        self._process.kill()
        _exit_code(self._process)


def can_fork() -> bool:
    """Returns whether a fork is safe: on Linux, with no other thread of Python's under way."""
    return sys.platform == "linux" and threading.active_count() == 1


def _forked(
    work: Callable[..., Any], outcome: IO[bytes], later: IO[bytes] | None
) -> tuple[BaseProcess, Connection]:
    """Returns a copy of this process that does the work, and the pipe that reports its end."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    near, far = context.Pipe()
    process = context.Process(
        target=_forked_main, args=(work, far, os.getpid(), outcome, later), daemon=True
    )
    process.start()
    far.close()
    return process, near


def _forked_main(
    work: Callable[..., Any],
    pipe: Connection,
    parent: int,
    outcome: IO[bytes],
    later: IO[bytes] | None,
) -> None:
    child_process.end_with(parent)
    _do(work, pipe, outcome.fileno(), later.fileno() if later else -1)


def _started(
    work: Callable[..., Any], outcome: IO[bytes], later: IO[bytes] | None
) -> tuple[subprocess.Popen[bytes], Connection]:
    """Returns a new interpreter that does the work, and the pipe that reports its end.

    Not multiprocessing's "spawn": it would run the main script of whoever uses hdlgraph as a
    library once more.
    """
    from multiprocessing import Pipe

    near, far = Pipe()
    with far, tempfile.TemporaryFile() as sent:  # a file: a pipe would make this process wait
        # What the program added comes first: the work may speak of it.
        for one in (added_kinds(), added_readers(), work):
            pickle.dump(one, sent, pickle.HIGHEST_PROTOCOL)
        sent.seek(0)
        handles = [far.fileno(), outcome.fileno(), *([later.fileno()] if later else [])]
        process = child_process.start(
            "hdlgraph.index.fork", *map(str, handles), stdin=sent, pass_fds=tuple(handles)
        )
    return process, near


def main(arguments: Sequence[str]) -> None:
    """Does the work on standard input.

    The first number is that of the pipe that is told of its end, the second that of the file of
    the outcome; a third one that of the file with the value that the work waits for.
    """
    from multiprocessing.connection import Connection

    pipe = Connection(int(arguments[0]))
    with no_collection():
        add_kinds(pickle.load(sys.stdin.buffer))
        load_readers(pickle.load(sys.stdin.buffer))
        work = pickle.load(sys.stdin.buffer)
        _do(work, pipe, int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else -1)


def _do(work: Callable[..., Any], pipe: Connection, outcome: int, later: int) -> None:
    """Writes (True, value) or (False, error), reports it and ends this process.

    Args:
        work: the work.
        pipe: tells that a value is there, and is told of the outcome.
        outcome: the open file that takes the outcome.
        later: the open file that will hold the value which the work waits for; -1 for none.
    """
    try:
        value = work() if later < 0 else work(partial(_awaited, pipe, later))
        _write(outcome, (True, value))
        pipe.send(True)
    except BaseException as error:
        _write(outcome, (False, error))
        pipe.send(True)
    finally:
        # No clean-up of objects that belong to the parent.
        os._exit(0)


def _awaited(pipe: Connection, later: int) -> Any:
    """Returns the value that the other process sends, as soon as it is there."""
    pipe.recv()
    return _read(later)


def _write(file: int, value: Any) -> None:
    """Writes a value into an open file, in the place of what it holds."""
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    with os.fdopen(os.dup(file), "wb") as stream:
        pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL)


def _read(file: int) -> Any:
    """Returns the value of an open file."""
    # Not read from its position, which the writer shares; a read ends at 2 GiB.
    with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as content:
        return pickle.loads(content)


def _exit_code(process: BaseProcess | subprocess.Popen[bytes]) -> int:
    """Waits for the end of a process; returns its code, below zero the signal that ended it."""
    import subprocess

    if isinstance(process, subprocess.Popen):
        return process.wait()
    process.join()
    return process.exitcode or 0


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


def trim() -> None:
    """Gives free memory back to the system, where its C library can (that of GNU).

    For after something large was dropped: what lies between things that stay would never be given
    back, and each copy of this process would count it.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main(sys.argv[1:])
