"""One worker process as its pool sees it: what it was given, what it answers, and its end."""

from __future__ import annotations

import os
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec

from hdlgraph.index.parse.worker import Task
from hdlgraph.safety import child_process

_READ_BYTES = 1 << 20
"""Most bytes that are taken from the pipe of a worker at a time."""
_END_S = 2.0
"""Seconds in which a worker may end by itself, its streams being closed."""


@dataclass(slots=True)
class WorkerProcess:
    """A process of `hdlgraph.index.parse.worker`, and the tasks that it has."""

    process: subprocess.Popen[bytes]
    tasks: deque[Task] = field(default_factory=deque)
    buffer: bytearray = field(default_factory=bytearray)
    """The beginning of a frame of which the rest has not come."""
    current: Task | None = None
    since: float = 0.0
    """When it last answered or was given tasks, in seconds of the monotonic clock."""
    cpu: float = 0.0
    """Seconds of processor time the process had used when it began the current file."""
    ready: bool = False
    """Set by its first answer: it has loaded its readers."""
    spent: bool = False
    """Set when the worker answers nothing more and is to be replaced."""

    @classmethod
    def start(cls, root: Path) -> WorkerProcess:
        """Returns a new worker for the files below `root`; nothing has been sent to it."""
        process = child_process.start(
            "hdlgraph.index.parse.worker",
            root=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        worker = cls(process)
        os.set_blocking(worker.answers.fileno(), False)
        return worker

    @classmethod
    @contextmanager
    def early(cls, root: Path, wanted: bool) -> Iterator[list[WorkerProcess]]:
        """Gives a worker that loads its libraries while nobody needs it, and ends it if nobody did.

        Args:
            root: the files are below it.
            wanted: whether it is likely that one is needed; else there is none.
        """
        ready = [cls.start(root)] if wanted else []
        try:
            yield ready
        finally:
            for worker in ready:
                worker.process.kill()
                worker.end()

    @property
    def answers(self) -> IO[bytes]:
        """Returns the pipe of its answers; reading it does not wait."""
        assert self.process.stdout is not None
        return self.process.stdout

    def give(self, batch: list[Task]) -> None:
        """Sends it more tasks."""
        self.tasks.extend(batch)
        self.since = time.monotonic()
        self.send(msgspec.msgpack.encode(batch))

    def send(self, payload: bytes) -> None:
        """Sends one frame; a worker that takes none any more is `spent`."""
        stream = self.process.stdin
        assert stream is not None
        try:
            stream.write(len(payload).to_bytes(4, "little") + payload)
            stream.flush()
        except (BrokenPipeError, OSError):
            self.spent = True

    def receive(self) -> bool:
        """Takes what has come into `buffer`; returns False where the process has closed its pipe.

        Raises:
            BlockingIOError: nothing has come.
        """
        data = os.read(self.answers.fileno(), _READ_BYTES)
        self.buffer += data
        return bool(data)

    def messages(self) -> Iterator[Any]:
        """Yields the messages that have come as a whole, and takes them out of `buffer`.

        Raises:
            msgspec.DecodeError, UnicodeDecodeError: one is no MessagePack.
        """
        start = 0
        while len(self.buffer) - start >= 4:
            size = int.from_bytes(self.buffer[start : start + 4], "little")
            end = start + 4 + size
            if len(self.buffer) < end:
                break
            yield msgspec.msgpack.decode(bytes(self.buffer[start + 4 : end]))
            start = end
        del self.buffer[:start]

    def end(self) -> None:
        """Closes its streams and waits for its end; one that still has tasks is killed."""
        for stream in (self.process.stdin, self.process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass
        if self.tasks:
            self.process.kill()
        try:
            self.process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
