"""The process that speaks with Ray, and the only importer of it.

Ray ends its own process when the cluster is lost for good, prints as it likes, and keeps threads
that no fork survives. So it lives here: `ray_engine` starts this module, sends batches through a
pipe, and sees its end.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

RETRIES = 20
"""Times that a batch is given to another worker when the one that had it is lost."""
CONNECT_S = 5.0
STORE_BYTES = 512_000_000
"""Shared memory of a cluster that is started here, for batches and results on their way."""
PERIOD_S = 2.0
IDLE_S = 300.0
"""A cluster without any processor for so many seconds is given up: one may grow by itself."""


class Begin(NamedTuple):
    """What this process is sent first: `address` is "" for a cluster of its own."""

    address: str
    cpus: int
    temp: str
    code: str


class Refused(Exception):
    """The cluster cannot be used; the message says why and what to do."""


def connect(begin: Begin) -> Any:
    """Returns the module ray, connected.

    Raises:
        Refused: nothing answers there, or it is not for this Ray or this Python.
    """
    if begin.address:
        _knock(begin.address)
    import logging

    import ray

    same: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    own = {
        "address": "local",
        "num_cpus": begin.cpus,
        "num_gpus": 0,
        "include_dashboard": False,
        "object_store_memory": STORE_BYTES,
        "_temp_dir": begin.temp,
    }
    where = {"address": begin.address} if begin.address else own
    # One of its own once more: Ray waits half a minute for it, too short on a busy machine.
    for last in (True,) if begin.address else (False, True):
        try:
            ray.init(**same, **where)
            break
        except Exception as error:  # ray raises its own classes, RuntimeError, OSError ...
            if last:
                reason = " ".join(str(error).split())[:600]
                raise Refused(reason or type(error).__name__) from error
    return ray


def _knock(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except OSError as error:
        raise Refused(
            f"nothing answers there ({error.strerror or error}); is it the address that "
            "`ray start --head` printed, and is the cluster up?"
        ) from error


def on_worker(name: str, work: bytes, code: str, batch: bytes) -> bytes:
    """Does a batch on a worker.

    As a function of the main module it is sent whole: a machine without hdlgraph can say so.
    """
    try:
        from hdlgraph.index.engine.worker import run
    except ImportError as error:
        import pickle
        import platform

        return pickle.dumps((None, f"machine {platform.node()}: {error}"))
    return run(name, work, code, batch)


class Driver:
    """Turns batches from the pipe into tasks, and their results into messages."""

    def __init__(self, pipe: Any, ray: Any, code: str) -> None:
        self.pipe, self.ray, self.code = pipe, ray, code
        self._lock = threading.Lock()
        self._works: dict[int, Any] = {}
        self._token = os.urandom(8).hex()
        self._task = ray.remote(on_worker)

    def send(self, *message: Any) -> None:
        """Sends a message; one process reads, several threads write."""
        with self._lock, contextlib.suppress(OSError):
            self.pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def serve(self) -> None:
        """Works until the pipe is closed."""
        self.send("ready", *self._size())
        threading.Thread(target=self._watch, daemon=True).start()
        while True:
            try:
                kind, number, *rest = pickle.loads(self.pipe.recv_bytes())
            except (EOFError, OSError):
                return
            if kind == "work":
                work, share = rest
                task = self._task.options(num_cpus=share, max_retries=RETRIES)
                self._works[number] = task, self.ray.put(work)
            elif kind == "batch":
                self._submit(number, *rest)
            else:
                self._works.pop(number, None)

    def _submit(self, number: int, at: int, batch: bytes) -> None:
        task, work = self._works[number]
        reference = task.remote(f"{self._token}-{number}", work, self.code, batch)

        def done(future: Any) -> None:
            try:
                self.send("done", number, at, future.result())
            except Exception as error:  # ray's errors of lost workers and objects
                self.send("lost", number, f"{type(error).__name__}: {_first_line(error)}")

        reference.future().add_done_callback(done)

    def _size(self) -> tuple[int, int]:
        """Returns the processors and the machines that are there."""
        alive = [node for node in self.ray.nodes() if node["Alive"]]
        return sum(int(node["Resources"].get("CPU", 0)) for node in alive), len(alive)

    def _watch(self) -> None:
        """Tells of machines that come and go, and gives a cluster without any up."""
        former, since = self._size(), time.monotonic()
        while True:
            time.sleep(PERIOD_S)
            with contextlib.suppress(Exception):
                size = self._size()
                if size != former:
                    self.send("size", *size)
                former = size
                if size[0]:
                    since = time.monotonic()
            if time.monotonic() - since > IDLE_S:
                self.send("gone", f"no machine of it has a processor to use for {IDLE_S:.0f} s")
                return


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else ""


def main(arguments: Sequence[str]) -> None:
    """Serves the pipe whose number is the first argument."""
    from multiprocessing.connection import Connection

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this one closes the pipe
    pipe = Connection(int(arguments[0]))
    begin = Begin(*pickle.loads(pipe.recv_bytes()))
    try:
        ray = connect(begin)
    except Refused as error:
        pipe.send_bytes(pickle.dumps(("refused", str(error))))
        return
    Driver(pipe, ray, begin.code).serve()
    with contextlib.suppress(Exception):
        ray.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
