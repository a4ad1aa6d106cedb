"""Processes of a command: which are alive, and ending them."""

from __future__ import annotations

import time
from pathlib import Path


def members(session: int) -> dict[int, str]:
    """Returns the command line of each living process of a session, by process id."""
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # The name is in parentheses and may hold spaces: fields count from behind it.
            state, *fields = (entry / "stat").read_text().rpartition(")")[2].split()
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[2]) == session and state not in "ZX":
            found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def survivors(session: int, patience_s: float = 2.0) -> dict[int, str]:
    """Returns the processes of a session that are alive after `patience_s`; none is waited for."""
    end = time.monotonic() + patience_s
    while (found := members(session)) and time.monotonic() < end:
        time.sleep(0.05)
    return found
