"""The most memory that a process has used at once."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_PEAK = "VmHWM:"


def peak_mb() -> float:
    """Returns the most memory (MiB) that this process has held at once, its own alone.

    What `getrusage` tells of a child on Linux begins with the memory of the process that started
    it, as the one becomes the other: a small worker of a large process would seem large.
    """
    try:
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(_PEAK):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError, IndexError):
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
