"""Keeps elaborated configurations in the index folder, each in a file of its own.

    elaborations/NAME.msgpack    SHA-256 of the rest in hexadecimal digits, a line feed, MessagePack

Whoever wrote an index folder chose what lies in it: names, sizes, types and positions are checked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from hdlgraph.errors import IndexDamagedError, UsageError
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.store.design.elaborated import FORMAT, Body, Configuration
from hdlgraph.store.guard import check_readable, check_writable

FOLDER, SUFFIX = "elaborations", ".msgpack"
DEFAULT = "default"
LIMIT = 512_000_000
"""Bytes of the largest configuration that is read."""
MOST = 200
"""Configurations that are listed."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_HEAD = 65


class _Schema(msgspec.Struct):
    schema: int


def check_name(name: str) -> str:
    """Returns the name of a configuration.

    Raises:
        UsageError: it is none.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"configuration {name[:80]!r}: a name has 1 to 60 letters, digits and . _ -, and "
            "begins with a letter or digit"
        )
    return name


def write_configuration(folder: Path, found: Configuration) -> Path:
    """Writes a configuration into an index folder, all or nothing; returns its file.

    Raises:
        IndexUnsafeError: the folder is not one that hdlgraph may write to.
    """
    check_writable(folder)
    path = _file(folder, found.name)
    check_readable(path.parent)
    path.parent.mkdir(exist_ok=True)
    data = msgspec.msgpack.encode(found)
    write_atomic(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    return path


def read_configuration(folder: Path, name: str) -> Configuration | None:
    """Returns a configuration, None where there is none of that name.

    Raises:
        IndexDamagedError: its file is not as it was written.
    """
    path = _file(folder, name)
    check_readable(folder)
    check_readable(path.parent)
    try:
        data = read_regular(path, LIMIT, follow=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _damaged(path, error) from error
    try:
        if hashlib.sha256(data[_HEAD:]).hexdigest().encode() + b"\n" != data[:_HEAD]:
            raise msgspec.DecodeError("its checksum is another")
        if msgspec.msgpack.decode(data[_HEAD:], type=_Schema).schema != FORMAT:
            raise msgspec.DecodeError("another version of hdlgraph wrote it")
        found = msgspec.msgpack.decode(data[_HEAD:], type=Configuration)
        _check(found, name)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise _damaged(path, error) from error
    return found


def configuration_names(folder: Path) -> list[str]:
    """Returns the names of the configurations that an index folder holds, sorted."""
    place = folder / FOLDER
    check_readable(folder)
    check_readable(place)
    if not place.is_dir():
        return []
    names = (one.name.removesuffix(SUFFIX) for one in place.iterdir() if one.suffix == SUFFIX)
    return sorted(name for name in names if NAME.fullmatch(name))[:MOST]


def _file(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{check_name(name)}{SUFFIX}"


def _damaged(path: Path, error: Exception) -> IndexDamagedError:
    return IndexDamagedError(
        f"{path}: cannot be used ({error}); run `hdlgraph elaborate --name "
        f"{path.name.removesuffix(SUFFIX)}` again"
    )


def _check(found: Configuration, name: str) -> None:
    """Raises DecodeError where a position leads nowhere."""
    result = found.result
    units, bodies = len(result.units), len(result.bodies)
    sound = (
        found.name == name
        and 0 <= found.sources <= len(found.files)
        and all(0 <= body < bodies for _, body in result.tops)
        and all(_is_sound(body, units, bodies) for body in result.bodies)
        and _is_tree(result.bodies)
    )
    if not sound:
        raise msgspec.DecodeError("a position in it leads nowhere")


def _is_sound(body: Body, units: int, bodies: int) -> bool:
    return 0 <= body.unit < units and all(-1 <= one.body < bodies for one in body.children)


def _is_tree(bodies: Sequence[Body]) -> bool:
    """Returns whether no body holds itself, directly or not."""
    state = [0] * len(bodies)
    for start in range(len(bodies)):
        stack = [start]
        while stack:
            body = stack[-1]
            if state[body] == 0:
                state[body] = 1
                inner = {one.body for one in bodies[body].children} - {-1}
                if any(state[one] == 1 for one in inner):
                    return False
                stack += (one for one in inner if state[one] == 0)
            else:
                state[body] = 2
                stack.pop()
    return True
