"""Works on a Ray cluster, through a process of its own that holds Ray (`ray_driver`)."""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.safety import child_process

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

B = TypeVar("B")
R = TypeVar("R")

SPARE = 1.25
"""Batches under way for each processor of the cluster."""
END_S = 15.0
NOWHERE = "/proc"
"""Working directory of the driver: Ray has the workers import from a folder of this name too."""
LISTEN_S = 0.2
GONE_S = 20
"""Seconds after which Ray takes a cluster that does not answer for gone."""
MOST_CHARS = 20
"""Bytes of the path of a folder below which Ray's sockets have paths short enough."""
AGAIN = (
    "the former index is still valid. Run the same command again when the cluster answers: what "
    "is finished is kept; or run it without --engine ray"
)


def _short_folder() -> str:
    """Returns where temporary folders are made, or /tmp: a socket's path has 107 bytes at most."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= MOST_CHARS else "/tmp"


class RayEngine:
    """An engine whose batches are tasks of Ray.

    Args:
        address: HOST:PORT of a cluster, "" to start one on this machine for this run.
        jobs: processors of a cluster that is started here.
    """

    spreads = True

    def __init__(self, address: str, jobs: int) -> None:
        self.address, self.jobs = address, jobs
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._temp = ""
        self._slots = self._nodes = self._most = 0
        self._number = 0

    @property
    def label(self) -> str:
        """Returns the name of the cluster for messages."""
        return f"Ray cluster {self.address}" if self.address else "Ray on this machine"

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns where the work was done, nothing where there was none."""
        if not self._slots:
            return ()
        where = f"{self.label}: {self._most} machines" if self.address else self.label
        return (f"worked on {where}, {self._slots} processors",)

    def start(self) -> None:
        """Starts the process that connects; returns at once."""
        if self._process is not None:
            return
        from multiprocessing import Pipe

        from hdlgraph.index.engine.worker import code_digest

        # Not the default, /tmp/ray, which all users share: into this one nobody else may look.
        self._temp = tempfile.mkdtemp(prefix="hdlgraph-ray-", dir=_short_folder())
        near, far = Pipe()
        with far:
            self._process = child_process.start(
                "hdlgraph.index.engine.ray_driver",
                str(far.fileno()),
                cwd=NOWHERE if Path(NOWHERE).is_dir() else os.sep,
                extra=self._variables(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(far.fileno(),),
            )
        self._pipe = near
        self._send(self.address, self.jobs, self._temp, code_digest())

    def _variables(self) -> dict[str, str]:
        patience = {"RAY_gcs_rpc_server_reconnect_timeout_s": str(GONE_S)}
        if self.address:
            return patience
        own = {
            # Its only effect on Linux: all of Ray's ports are those of 127.0.0.1.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "TMPDIR": self._temp,
        }
        return {**patience, **own}

    def map(
        self, what: str, work: Callable[[B], R], batches: Iterable[B]
    ) -> Iterator[tuple[int, R]]:
        """Yields (place of the batch, its result), as they come."""
        source = enumerate(batches)
        waiting = 0
        self._number += 1
        number = self._number
        begun = False
        try:
            while True:
                while waiting < self._window and (item := next(source, None)) is not None:
                    if not begun:
                        self._begin(number, work, 1)
                        begun = True
                    self._send("batch", number, item[0], pickle.dumps(item[1], -1))
                    waiting += 1
                if not waiting:
                    return
                at, outcome = self._next(number)
                waiting -= 1
                yield at, self._value(what, outcome)
        finally:
            if begun and self._pipe is not None:
                with suppress(HdlgraphError):
                    self._send("end", number)

    @property
    def _window(self) -> int:
        return max(2, int(self._slots * SPARE) + 1)

    @contextmanager
    def calls(
        self, what: str, work: Callable[[B], R], share: float
    ) -> Iterator[Callable[[B], Awaitable[R]]]:
        """Yields a coroutine function that has one batch worked on; a thread awaits results."""
        self._number += 1
        number, waiting, ended = self._number, dict[int, Future[bytes]](), threading.Event()
        self._begin(number, work, share)
        lost: list[HdlgraphError] = []

        def listen() -> None:
            try:
                while not ended.is_set():
                    found = self._read(number) if self._has_news() else None
                    if found and (one := waiting.pop(found[0])).set_running_or_notify_cancel():
                        one.set_result(found[1])
            except HdlgraphError as error:
                lost.append(error)
                for one in list(waiting.values()):
                    if one.set_running_or_notify_cancel():
                        one.set_exception(error)

        async def call(batch: B) -> R:
            if lost:
                raise lost[0]
            at, future = next(places), Future[bytes]()
            waiting[at] = future
            self._send("batch", number, at, pickle.dumps(batch, -1))
            found: R = self._value(what, await asyncio.wrap_future(future))
            return found

        places = count()
        listener = threading.Thread(target=listen, name="hdlgraph-engine", daemon=True)
        listener.start()
        try:
            yield call
        finally:
            ended.set()
            listener.join()
            if self._pipe is not None:
                self._send("end", number)

    def _has_news(self) -> bool:
        return self._pipe is None or self._pipe.poll(LISTEN_S)

    def _begin(self, number: int, work: Any, share: float) -> None:
        """Waits until the cluster is there, and sends it the work."""
        self.start()
        while not self._slots:
            self._read(-1)
        self._send("work", number, pickle.dumps(work, -1), share)

    def _value(self, what: str, outcome: bytes) -> Any:
        done, value = pickle.loads(outcome)
        if done:
            return value
        if done is None:
            raise UsageError(
                f"{self.label}: {value}; install the same hdlgraph on all machines of the cluster"
            )
        message = f"{self.label}: {what}: {value}"
        if isinstance(value, UsageError):
            raise UsageError(message) from value
        raise HdlgraphError(f"{message}; {AGAIN}") from value

    def _next(self, number: int) -> tuple[int, bytes]:
        while True:
            found = self._read(number)
            if found is not None:
                return found

    def _read(self, number: int) -> tuple[int, bytes] | None:
        """Returns (place, outcome) of a batch of this number, None after any other message."""
        if self._pipe is None:
            raise self._gone()
        try:
            kind, *rest = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._gone() from error
        if kind == "done" and rest[0] == number:
            return rest[1], rest[2]
        if kind in ("ready", "size"):
            self._slots, self._nodes = rest if rest[0] else (self._slots or 1, rest[1])
            self._most = max(self._most, self._nodes)
        elif kind == "refused":
            self.close()
            raise UsageError(f"{self.label}: {rest[0]}; {AGAIN}")
        elif kind == "gone" or (kind == "lost" and rest[0] == number):
            self.close()
            raise HdlgraphError(f"{self.label}: {rest[-1]}; {AGAIN}")
        return None

    def _send(self, *message: Any) -> None:
        if self._pipe is None:
            raise self._gone()
        try:
            self._pipe.send_bytes(pickle.dumps(message, -1))
        except OSError as error:
            raise self._gone() from error

    def _gone(self) -> HdlgraphError:
        """Returns the error for a driver that has ended: Ray ends it with the cluster."""
        self.close()
        return HdlgraphError(f"{self.label}: it is gone, or was stopped; {AGAIN}")

    def close(self) -> None:
        """Ends the driver, and with it the cluster that was started here."""
        pipe, process = self._pipe, self._process
        self._pipe = self._process = None
        if pipe is not None:
            pipe.close()
        if process is not None:
            try:
                process.wait(timeout=END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._temp:
            shutil.rmtree(self._temp, ignore_errors=True)
            self._temp = ""
