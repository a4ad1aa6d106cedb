"""Reads many documents in worker processes that may crash, hang or outgrow their memory.

A worker that dies takes only the document with it that it was on.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock

import msgspec

from hdlgraph.index.documents.worker import NOTHING, Read, Task
from hdlgraph.index.parse.lost_workers import cpu_seconds, death_of
from hdlgraph.safety import child_process

MODULE = "hdlgraph.index.documents.worker"
START_S = 60.0
PATIENCE = 8.0
"""On a machine too busy to run the worker a document may take so many times the deadline."""
TRIES = 2
"""How often a document is tried whose worker died without having used up its time."""


def read_all(
    tasks: Sequence[Task],
    jobs: int,
    deadline_s: float,
    memory_mb: int,
    on_done: Callable[[Task, Read], None],
) -> None:
    """Reads documents; each is reported as it is done, in no fixed order, one at a time.

    Args:
        tasks: what to read.
        jobs: processes at once.
        deadline_s: processor time for one document before its process is ended.
        memory_mb: memory of one process in MiB.
        on_done: called with each task and what was read.
    """
    waiting = list(reversed(tasks))
    lock = Lock()

    def work() -> None:
        # The system ends a child with the thread that started it, so each thread has its own.
        with _Worker(deadline_s, memory_mb) as worker:
            while True:
                with lock:
                    task = waiting.pop() if waiting else None
                if task is None:
                    return
                found = worker.read(task)
                with lock:
                    on_done(task, found)

    count = max(1, min(jobs, len(tasks)))
    with ThreadPoolExecutor(count, thread_name_prefix="documents") as pool:
        for done in [pool.submit(work) for _ in range(count)]:
            done.result()


class _Lost(Exception):
    """A worker is gone; `final` says that its document would end the next one too."""

    def __init__(self, why: str, final: bool) -> None:
        super().__init__(why)
        self.final = final


class _Worker:
    """A worker process, started when it is needed and again after it was lost."""

    def __init__(self, deadline_s: float, memory_mb: int) -> None:
        self._deadline_s, self._memory_mb = deadline_s, memory_mb
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def read(self, task: Task) -> Read:
        """Returns what a document holds; how its reader was lost stands in its `why`."""
        why = ""
        for _ in range(TRIES):
            try:
                return msgspec.msgpack.decode(self._ask(msgspec.msgpack.encode(task)), type=Read)
            except (_Lost, OSError, msgspec.MsgspecError) as error:
                self._end()
                why = f"not read: its process {error}"
                if isinstance(error, _Lost) and error.final:
                    break
        return Read("", NOTHING, why)

    def _ask(self, payload: bytes) -> bytes:
        process = self._process or self._start()
        assert process.stdin is not None
        process.stdin.write(len(payload).to_bytes(4, "little") + payload)
        process.stdin.flush()
        return self._answer(process, self._deadline_s)

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = child_process.start(MODULE, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        payload = msgspec.msgpack.encode(self._memory_mb)
        process.stdin.write(len(payload).to_bytes(4, "little") + payload)
        process.stdin.flush()
        self._answer(process, START_S)
        return process

    def _answer(self, process: subprocess.Popen[bytes], deadline_s: float) -> bytes:
        """Returns the next frame of a worker.

        Raises:
            _Lost: it ended, or used up its time.
        """
        assert process.stdout is not None
        handle, held = process.stdout.fileno(), bytearray()
        waiting = select.poll()  # select knows the first 1,024 files of a process alone
        waiting.register(handle, select.POLLIN | select.POLLHUP)
        began, spent = time.monotonic(), cpu_seconds(process.pid) or 0.0
        while len(held) < 4 or len(held) - 4 < int.from_bytes(held[:4], "little"):
            if waiting.poll(200):
                data = os.read(handle, 1 << 20)
                if not data:
                    loss = death_of(process)
                    raise _Lost(loss.why, final=False)
                held += data
                continue
            waited = time.monotonic() - began
            if waited <= deadline_s:
                continue
            used = cpu_seconds(process.pid)
            if used is None or used - spent > deadline_s or waited > PATIENCE * deadline_s:
                raise _Lost(f"took more than {deadline_s:g} s", final=True)
        return bytes(held[4:])

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
