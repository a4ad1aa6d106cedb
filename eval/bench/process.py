"""Runs a command and watches it: wall time and peak memory of all its processes.

Read from /proc without psutil, which takes as long and would be one more compiled dependency.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLE_S = 0.05
PROPORTIONAL_S = 0.25
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. Seconds are wall time.

    `rss_mb` is the largest sum of resident memory over its processes (pages that forked workers
    share are counted in each), `pss_mb` the largest proportional sum (counted once); both are
    sampled, and 0 where the system has no /proc. One MB is 10^6 bytes.
    """

    code: int
    stdout: str
    stderr: str
    seconds: float
    rss_mb: float
    pss_mb: float


def hdlgraph_command() -> list[str]:
    """Returns how to start the `hdlgraph` command of this Python."""
    script = Path(sys.executable).with_name("hdlgraph")
    if script.is_file():
        return [str(script)]
    code = "from hdlgraph.serve.cli.main import main; raise SystemExit(main())"
    return [sys.executable, "-P", "-c", code]


def watch(command: Sequence[str], timeout_s: float = 3600, memory: bool = True) -> Ended:
    """Runs a command to its end; one that outlasts `timeout_s` is killed (code -9)."""
    started = time.perf_counter()
    peak = _Peak()
    # Files, not pipes: a full pipe would stop a command that nobody reads from.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        if memory:
            while child.poll() is None and time.perf_counter() - started < timeout_s:
                peak.sample(child.pid)
                time.sleep(SAMPLE_S)
        try:
            child.wait(max(0.0, timeout_s - (time.perf_counter() - started)))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)  # its own session: nothing else is in the group
            child.wait()
        seconds = time.perf_counter() - started
        texts = []
        for handle in (out, err):
            handle.seek(0)
            texts.append(handle.read().decode(errors="replace"))
    return Ended(child.returncode, texts[0], texts[1], seconds, peak.rss / 1e6, peak.pss / 1e6)


class _Peak:
    """The largest memory seen, in bytes."""

    def __init__(self) -> None:
        self.rss = 0
        self.pss = 0
        self._read = 0.0

    def sample(self, session: int) -> None:
        pids = _members(session)
        rss = sum(_rss(pid) for pid in pids)
        self.rss = max(self.rss, rss)
        # Reading proportional sizes is slow, and they never exceed the resident ones.
        now = time.perf_counter()
        if rss > self.pss and now - self._read > PROPORTIONAL_S:
            self._read = now
            self.pss = max(self.pss, sum(_pss(pid) for pid in pids))


def _members(session: int) -> list[int]:
    """Returns the processes of a session; hdlgraph starts none outside of its own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError):  # it has ended
            if os.getsid(int(entry.name)) == session:
                found.append(int(entry.name))
    return sorted(found)


def _rss(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
