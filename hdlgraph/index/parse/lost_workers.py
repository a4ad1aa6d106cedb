"""Says how a worker process was lost, and whether the file that it was reading is to blame."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
"""Signals that no file causes: a person sends them, or a system that runs out of memory."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a worker is gone.

    `outside`: something other than the file ended it; `final`: the file would end the next one too.
    """

    why: str
    outside: bool = False
    final: bool = False


def death_of(process: subprocess.Popen[bytes]) -> Loss:
    """Returns how a process ended that answers nothing more."""
    try:
        code = process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        return Loss("stopped answering")
    if code >= 0:
        return Loss(f"ended with exit code {code}")
    try:
        sign = signal.Signals(-code)
    except ValueError:
        return Loss(f"was ended by signal {-code}")
    return Loss(f"was ended by {sign.name}", outside=sign in FROM_OUTSIDE)


def cpu_seconds(pid: int) -> float | None:
    """Returns the processor time of a process so far, None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
