"""Has a warm process run a command of this one, where there is a fitting one.

Imports little: it runs before the command line is loaded, which a warm search does without.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hdlgraph import __version__
from hdlgraph.serve.warm import COMMANDS, place

FOLDER = ".hdlgraph"
CONNECT_S, ACCEPT_S, ANSWER_S = 0.2, 0.6, 300.0
"""Seconds to reach a warm process, to hear that it takes the command, and to get its output."""
TERMINAL = (
    *("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "CLICOLOR"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "CLICOLOR_FORCE"),
)
"""Variables of the environment that say how text is shown."""
ALONE = ("HDLGRAPH_SETTINGS", "HDLGRAPH_DEBUG", "HDLGRAPH_ALONE", "_HDLGRAPH_COMPLETE")
"""Variables with which a command is run by its own process."""


def run_warm(arguments: Sequence[str]) -> int | None:
    """Returns the exit code of a command that a warm process ran, its output printed.

    None says that this process has to run the command itself: it is none that is run so, there
    is no warm process for its index, or that one is of another version or does not answer.
    """
    if not _may_be_warm(arguments):
        return None
    try:
        folder = _index(arguments)
        at = place.socket_of(folder) if folder else None
        if at is None or not at.is_socket():
            return None
        reply = _asked(at, arguments)
    except (OSError, ValueError):
        return None
    return _print(reply) if reply else None


def _may_be_warm(arguments: Sequence[str]) -> bool:
    """Returns whether a command line is one that a warm process can run in place of this one."""
    if not arguments or arguments[0] not in COMMANDS or not place.supported():
        return False
    if any(os.environ.get(name) for name in ALONE):
        return False
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    alone = ("--settings", "--workspace")
    if any(one in ("-h", "--help") or one.startswith(alone) for one in own):
        return False
    streams = (sys.stdout, sys.stderr)
    if any(one is None or one.encoding.lower().replace("-", "") != "utf8" for one in streams):
        return False
    return sum(len(one) for one in arguments) < place.REQUEST_BYTES // 12


def _index(arguments: Sequence[str]) -> Path | None:
    """Returns the index folder that a command line seems to mean; the warm process makes sure."""
    given = None
    for number, one in enumerate(arguments):
        if one == "--":
            break
        if one == "--index" and number + 1 < len(arguments):
            given = arguments[number + 1]
        elif one.startswith("--index="):
            given = one.removeprefix("--index=")
    if given is not None:
        named = Path(given).resolve()
        folders = [named, named / FOLDER]
    else:
        here = Path.cwd().resolve()
        folders = [one / FOLDER for one in (here, *here.parents)]
    return next((one for one in folders if (one / "manifest.json").is_file()), None)


def _asked(at: Path, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Returns what a warm process answers to a command, None where it does not take it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(CONNECT_S)
        peer.connect(str(at))
        if not place.is_own(peer):
            return None
        place.send(peer, _request(arguments))
        peer.settimeout(ACCEPT_S)
        if place.receive(peer, place.REPLY_BYTES).get("taken") is not True:
            return None
        peer.settimeout(ANSWER_S)
        reply = place.receive(peer, place.REPLY_BYTES)
    return reply if isinstance(reply.get("code"), int) else None


def _request(arguments: Sequence[str]) -> dict[str, Any]:
    return {
        "version": __version__,
        "package": place.package(),
        "arguments": list(arguments),
        "folder": str(Path.cwd()),
        "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
        "size": _size(),
        "variables": {name: os.environ[name] for name in TERMINAL if name in os.environ},
    }


def _size() -> list[int]:
    """Returns columns and lines of the terminal, of whichever standard stream is one."""
    for number in range(3):
        try:
            return list(os.get_terminal_size(number))
        except OSError:
            continue
    return [80, 25]


def _print(reply: dict[str, Any]) -> int:
    """Prints what the command wrote, each piece to its stream; returns its exit code."""
    streams = {1: sys.stdout, 2: sys.stderr}
    try:
        for number, text in reply["parts"]:
            streams[number].write(text)
            streams[number].flush()
    except BrokenPipeError:  # the reader of a pipe, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return int(reply["code"])
