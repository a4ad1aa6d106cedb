"""Processes that search beside a server's own, so that many clients use all cores.

One process of Python computes on one core at a time. A helper keeps the same index open (the
arrays are mapped: the system holds them once) and does one search at a time. It is started when
two searches meet, not before: a single user needs none, and its models take memory.
"""

from __future__ import annotations

import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.project.workspace.models import Vectors
from hdlgraph.results import SearchResult
from hdlgraph.safety import child_process

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

START_S, ANSWER_S = 60.0, 30.0
"""Seconds that a helper may take to load the index, and to answer; then it is ended."""
LOST = 3
"""Helpers that ended by themselves, after which no more are started."""
HERE = 2
"""Searches in the server's own process at one time: while one multiplies, another computes."""


class Asked(msgspec.Struct, frozen=True):
    """A search that a helper is to do, in the generation that is meant alone.

    `vectors` are those of the question: the models are loaded once, by the server.
    """

    generation: list[int]
    settings: str
    question: str
    options: dict[str, Any]
    vectors: Vectors | None = None


class Helpers:
    """Gives each search a place: in this process, or in a helper.

    Few are in this process at one time, as its threads only hinder each other; who finds no place
    waits for the next that is free.

    Args:
        arguments: of `searcher.main`, behind the number of its pipe.
        most: helpers at one time.
        begin: gives the vectors of the question with which a helper loads its index.
    """

    def __init__(
        self,
        arguments: tuple[str, ...],
        most: int,
        begin: Callable[[], Vectors | None] = lambda: None,
    ) -> None:
        self._arguments = arguments
        self.most = most
        self._begin = begin
        self._lock = threading.Lock()
        self._all: list[_Helper] = []
        self._lost = 0
        self._free: deque[_Helper | None] = deque([None] * HERE)
        self._waiting: deque[SimpleQueue[_Helper | None]] = deque()

    @contextmanager
    def place(self) -> Iterator[_Helper | None]:
        """Waits for a place and yields it: a helper, or None for this process."""
        place = self._taken()
        try:
            yield place
        finally:
            if place is None or not place.ended:
                self._give(place)

    def _taken(self) -> _Helper | None:
        """Returns a free place; where there is none, the next one, who came first before others."""
        with self._lock:
            if self._free:
                return self._free.popleft()
            turn: SimpleQueue[_Helper | None] = SimpleQueue()
            self._waiting.append(turn)
            self._start()
        return turn.get()

    def _give(self, place: _Helper | None) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().put(place)
            else:
                self._free.append(place)

    def _start(self) -> None:
        """Starts a helper, where one may be and none is being started."""
        self._lost += sum(one.ended for one in self._all)
        self._all = [one for one in self._all if not one.ended]
        starting = any(not one.ready for one in self._all)
        if len(self._all) < self.most and not starting and self._lost < LOST:
            self._all.append(_Helper(self._arguments, self._give, self._begin))

    def stop(self) -> None:
        """Ends all helpers, and starts no more."""
        with self._lock:
            self.most = 0
            for one in self._all:
                one.stop()


class _Helper:
    """One process, from its start on; `ready` when it has loaded the index."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        when_ready: Callable[[_Helper], None],
        begin: Callable[[], Vectors | None],
    ) -> None:
        self.ready = self.ended = False
        self._arguments, self._begin = arguments, begin
        self._when_ready = when_ready
        self._pipe: Connection | None = None
        self._process: subprocess.Popen[bytes] | None = None
        # A process ends with the thread that started it: this one lives as long.
        threading.Thread(target=self._live, daemon=True, name="search helper").start()

    def search(self, asked: Asked) -> SearchResult | None:
        """Returns what the helper found; None where it cannot do this search."""
        try:
            options = {name: _plain(value) for name, value in asked.options.items()}
            sent = msgspec.structs.replace(asked, options=options)
            data = self._answer(msgspec.msgpack.encode(sent))
            return msgspec.msgpack.decode(data, type=SearchResult) if data else None
        except (OSError, EOFError, TypeError, msgspec.MsgspecError):
            self.stop()
            return None

    def _answer(self, data: bytes) -> bytes:
        """Returns the answer to a request; EOFError where none comes in time."""
        pipe = self._pipe
        if pipe is None:
            raise EOFError
        pipe.send_bytes(data)
        if not pipe.poll(ANSWER_S):
            raise EOFError
        return pipe.recv_bytes()

    def stop(self) -> None:
        """Ends the process."""
        self.ready, self.ended = False, True
        if self._process is not None:
            self._process.kill()

    def _live(self) -> None:
        """Starts the process, says when it is ready, and waits for its end; runs in a thread."""
        from multiprocessing import Pipe

        try:
            near, far = Pipe()
            with near:
                with far:
                    handle = far.fileno()
                    self._process = child_process.start(
                        "hdlgraph.project.resident.searcher",
                        *(str(handle), *self._arguments),
                        pass_fds=(handle,),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                with suppress(OSError, EOFError):
                    near.send_bytes(msgspec.msgpack.encode(self._begin()))
                    if not self.ended and near.poll(START_S):
                        near.recv_bytes()
                        self._pipe, self.ready = near, True
                        self._when_ready(self)
                        self._process.wait()
                self._process.kill()
                self._process.wait()
        except OSError:  # no more processes, or files
            pass
        finally:
            self.ready, self.ended = False, True


def _plain(value: Any) -> Any:
    """Returns an option's value as something that can be sent."""
    return sorted(value) if isinstance(value, (set, frozenset, tuple, list)) else value
