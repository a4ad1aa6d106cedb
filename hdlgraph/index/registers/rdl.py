"""Reads SystemRDL files with `systemrdl-compiler`, where that is installed, in a process each."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from importlib.util import find_spec

import msgspec

from hdlgraph.parsers.text.source import without_comments
from hdlgraph.safety.child_process import start
from hdlgraph.store.design.registers import RegisterBlock

SECONDS = 30
"""A file that takes longer is given up."""
_PERL = "<%"
_INCLUDE = re.compile(r"`include\b")


class RdlError(ValueError):
    """A SystemRDL file cannot be read; the message says why."""


@cache
def is_installed() -> bool:
    """Returns whether the compiler is there."""
    return find_spec("systemrdl") is not None


def read_rdl(path: str, text: str, seconds: int = SECONDS) -> list[RegisterBlock]:
    """Returns the registers of the last address map of a SystemRDL file.

    No code of the file is run: Perl in it (`<% %>`) and other files that it includes are refused.

    Raises:
        RdlError: it is broken, refused, or takes too long.
    """
    if _PERL in text:
        raise RdlError("has Perl in it, which is not run")
    included = _INCLUDE.search(without_comments(text))
    if included:
        line = text.count("\n", 0, included.start()) + 1
        raise RdlError(f"line {line}: includes another file, which is not followed")
    process = start(
        "hdlgraph.index.registers.rdl_child",
        str(seconds),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        out, _ = process.communicate(text.encode("utf-8", errors="replace"), timeout=2 * seconds)
    except subprocess.TimeoutExpired as error:
        raise RdlError(f"takes more than {2 * seconds} s") from error
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    try:
        blocks, why = msgspec.msgpack.decode(out, type=tuple[list[RegisterBlock], str])
    except msgspec.MsgspecError as error:
        raise RdlError("its process was ended: it takes too much time or memory") from error
    if why:
        raise RdlError(why)
    return [one._replace(path=path) for one in blocks]
