"""Where the socket of a warm process is, who may use it, and how messages are framed.

Imports little: the command line loads it before anything else.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Any

REQUEST_BYTES, REPLY_BYTES = 300_000, 64_000_000
LONGEST_PATH = 100
"""Bytes of the longest path of a Unix socket, on any system."""
_LENGTH, _CREDENTIALS = struct.Struct(">I"), struct.Struct("3i")


def supported() -> bool:
    """Returns whether the system tells who is at the other end of a socket, as Linux does."""
    return hasattr(socket, "SO_PEERCRED") and hasattr(socket, "AF_UNIX")


def package() -> str:
    """Returns where the program's code is: another installation is another program."""
    return str(Path(__file__).parents[2])


def socket_of(folder: Path, make: bool = False) -> Path | None:
    """Returns the socket for an index folder, None where there can be none.

    Args:
        folder: the index folder, absolute and free of links.
        make: whether the folder of sockets is made where it is missing.
    """
    place = _own_folder(make)
    if place is None:
        return None
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
    found = place / f"{name}.sock"
    return found if len(os.fsencode(found)) <= LONGEST_PATH else None


def _own_folder(make: bool) -> Path | None:
    """Returns the user's folder for sockets: nobody else may enter it."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and is_private(Path(runtime)):
        place = Path(runtime, "hdlgraph")
    else:
        cache = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(cache) if cache.startswith("/") else Path("~/.cache").expanduser()
        place = base / "hdlgraph" / "run"
    if make:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            return None
    return place if is_private(place) else None


def is_private(folder: Path) -> bool:
    """Returns whether a folder is no link, is the user's, and nobody else's to enter."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    own = found.st_uid == os.geteuid()
    return own and stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077


def is_own(peer: socket.socket) -> bool:
    """Returns whether the process at the other end is the same user's."""
    try:
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    except OSError:
        return False
    return _CREDENTIALS.unpack(credentials)[1] == os.geteuid()


def send(peer: socket.socket, message: dict[str, Any]) -> None:
    """Sends a message: its length in four bytes, then its JSON."""
    data = json.dumps(message).encode()  # escaped: half characters of file names pass too
    peer.sendall(_LENGTH.pack(len(data)) + data)


def receive(peer: socket.socket, limit: int) -> dict[str, Any]:
    """Returns the next message.

    Raises:
        OSError: it does not come, or not in time.
        ValueError: it is larger than `limit` bytes, or no JSON object.
    """
    size = _LENGTH.unpack(_exactly(peer, _LENGTH.size))[0]
    if size > limit:
        raise ValueError(f"a message of {size} bytes")
    message = json.loads(_exactly(peer, size))
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message


def _exactly(peer: socket.socket, size: int) -> bytes:
    parts, left = [], size
    while left:
        part = peer.recv(min(left, 1 << 20))
        if not part:
            raise ConnectionError("the other end has left")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
