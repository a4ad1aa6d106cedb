"""Runs commands of other processes of the same user with an index that is open already."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from hdlgraph import __version__
from hdlgraph.errors import HdlgraphError
from hdlgraph.serve.warm import COMMANDS, place
from hdlgraph.serve.warm.kept import Kept
from hdlgraph.serve.warm.streams import CAPTURED, Captured, route

Run = Callable[[Sequence[str]], int]

AT_ONCE = 8
"""Commands in hand at one time; whoever comes then works alone."""
REQUEST_S, FREE_S = 2.0, 0.4
"""Seconds that a request may take to arrive, and that one waits for the index to be free."""


class Alone(BaseException):
    """The command means another index or other settings: its own process has to run it.

    No Exception, as those are turned into messages of the command.
    """


class WarmServer:
    """Answers on the socket of an index while it is open; the first process of several does.

    Args:
        kept: the index; it is loaded by the first command, unless it is before.
        run: runs a command line and returns its exit code: `hdlgraph.serve.cli.main.run`, which
            a command finds as `obj` in its typer.Context.
    """

    def __init__(self, kept: Kept, run: Run) -> None:
        self._kept = kept
        self._run = run
        self._listening: socket.socket | None = None
        self._lock = -1
        self._at: Path | None = None
        self._room = threading.BoundedSemaphore(AT_ONCE)

    def start(self) -> bool:
        """Opens the socket and answers in threads of their own; returns whether it does.

        It does not where another process answers for this index already, where the user named
        settings (a command without them must not get their results), where there is no index
        yet, and where the system does not tell who is at the other end of a socket.
        """
        try:
            folder = self._kept.folder()
        except HdlgraphError:
            return False
        at = place.socket_of(folder, make=True) if place.supported() else None
        if at is None or self._kept.settings is not None:
            return False
        self._lock = os.open(f"{at}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            return False
        at.unlink(missing_ok=True)  # of a process that was killed: we hold its lock
        self._listening = _listening(at)
        self._at = at
        route()
        threading.Thread(target=self._accept, daemon=True, name="warm socket").start()
        return True

    def stop(self) -> None:
        """Closes the socket and removes it; commands in hand are finished."""
        if self._listening is None or self._at is None:
            return
        self._at.unlink(missing_ok=True)
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listening.close()
        self._listening = None
        os.close(self._lock)

    def _accept(self) -> None:
        listening = self._listening
        while listening is not None and self._listening is listening:
            try:
                peer, _ = listening.accept()
            except OSError:
                return
            if not place.is_own(peer) or not self._room.acquire(blocking=False):
                peer.close()
                continue
            threading.Thread(
                target=self._answer, args=(peer,), daemon=True, name="warm command"
            ).start()

    def _answer(self, peer: socket.socket) -> None:
        try:
            with peer, suppress(OSError, ValueError, KeyError, TypeError):
                peer.settimeout(REQUEST_S)
                request = place.receive(peer, place.REQUEST_BYTES)
                fits = _fits(request) and self._kept.take(FREE_S)
                if not fits:
                    place.send(peer, {"taken": False})
                    return
                try:
                    place.send(peer, {"taken": True})
                    reply = self._done(request)
                finally:
                    self._kept.give()
                place.send(peer, reply)
        finally:
            self._room.release()

    def _done(self, request: dict[str, Any]) -> dict[str, Any]:
        """Returns exit code and output of a command, {} where its own process has to run it."""
        from hdlgraph.project.repository import KEEPER
        from hdlgraph.serve.cli.output import TERMINAL, Terminal
        from hdlgraph.serve.cli.volume import HERE

        here = Path(request["folder"])
        HERE.set(here)

        def keeper(given: Path | None, settings: Path | None) -> Any:
            start = here / given if given else None
            if settings is not None or self._kept.folder() != type(self)._found(start, here):
                raise Alone
            return self._kept.opened()

        parts: list[list[Any]] = []
        out, err = map(bool, request["terminals"])
        CAPTURED.set((Captured(1, parts, out), Captured(2, parts, err)))
        TERMINAL.set(Terminal.of(out, request["size"], request["variables"]))
        KEEPER.set(keeper)
        try:
            code = self._run(request["arguments"])
        except (Alone, SystemExit):
            return {}
        return {"code": code, "parts": parts}

    @staticmethod
    def _found(given: Path | None, start: Path) -> Path:
        from hdlgraph.project import Project

        return Project.find(given, start)


def _fits(request: dict[str, Any]) -> bool:
    """Returns whether a request is of this program and for a command that may be run."""
    arguments, folder = request.get("arguments"), request.get("folder")
    return (
        request.get("version") == __version__
        and request.get("package") == place.package()
        and isinstance(arguments, list)
        and all(isinstance(one, str) for one in arguments)
        and bool(arguments)
        and arguments[0] in COMMANDS
        and isinstance(folder, str)
        and folder.startswith("/")
    )


def _listening(at: Path) -> socket.socket:
    """Returns a listening socket that only the user may connect to.

    It is made under another name, and has its mode before anybody can find it.
    """
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    new = at.with_suffix(".new")
    new.unlink(missing_ok=True)
    opened.bind(str(new))
    new.chmod(0o600)
    opened.listen(16)
    new.rename(at)
    return opened


@contextmanager
def warm_servers(kept: Iterable[Kept], run: Run) -> Iterator[list[Kept]]:
    """Answers for several indexes while the block runs; yields those that it answers for."""
    with ExitStack() as stack:
        served = []
        for one in kept:
            server = WarmServer(one, run)
            try:
                began = server.start()
            except OSError as error:
                sys.stderr.write(f"hdlgraph: note: commands do without this process: {error}\n")
                continue
            if began:
                stack.callback(server.stop)
                served.append(one)
        yield served
