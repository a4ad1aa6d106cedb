"""Attacks with a model endpoint: every fault, in every way of asking, each in a process of its own.

The sizes are those that hold for users; of the waiting times a second stands for two minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import _asking
from _hostile import BODIES, DRIPS, PAUSES, Hostile
from hdlgraph.eval.stub import Stub, quarter
from hdlgraph.eval.stub_faults import HOSTILE, always

from campaigns.outcome import Outcome

TIMEOUT_S = 1.0
MOST_MB = 300.0  # above what the same question takes of a normal endpoint
MOST_S = 25.0  # of one question, repetitions and the work on its answer included
KILLED_S = 120


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns one outcome for each fault: peak memory above normal and seconds, of the worst way.

    Args:
        count: how often each fault is tried in each way.
        folder: not used.
        seed: not used: nothing is drawn.
    """
    found = []
    with Stub(count=quarter, dim=8) as quiet:
        for name, answer in {**BODIES, **DRIPS, **PAUSES}.items():
            with Hostile(answer) as server:
                found.append(_outcome(name, quiet.base_url, server.base_url, count))
        for fault in HOSTILE:
            with Stub(faults=always(fault), count=quarter, dim=8) as server:
                found.append(_outcome(fault, quiet.base_url, server.base_url, count))
    return found


def _outcome(name: str, quiet: str, url: str, count: int) -> Outcome:
    failures: list[str] = []
    started = time.monotonic()
    most_mb = most_s = 0.0
    for way in _asking.WAYS * count:
        one = _asked(way, quiet, name, url)
        most_mb, most_s = max(most_mb, one["mb"]), max(most_s, one["seconds"])
        if one["kind"] == "crash" or one["mb"] > MOST_MB or one["seconds"] > MOST_S:
            told = f"{one['mb']:.0f} MB, {one['seconds']:.1f} s, {one['message'][-300:]}"
            failures.append(f"{way}: {told}")
    figure = f"{most_mb:.0f} MB above normal, {most_s:.1f} s"
    tried = len(_asking.WAYS) * count
    return Outcome(f"endpoint: {name}", tried, tuple(failures), figure, time.monotonic() - started)


def _asked(way: str, quiet: str, name: str, url: str) -> dict:
    """Returns what a process of its own tells of one question."""
    started = time.monotonic()
    command = [sys.executable, _asking.__file__, way, str(TIMEOUT_S), quiet, f"{name}={url}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=KILLED_S)
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        timed_out = isinstance(error, subprocess.TimeoutExpired)
        told = f"still at work after {KILLED_S} s" if timed_out else done.stderr
        spent = time.monotonic() - started
        return {"kind": "crash", "mb": 0.0, "seconds": spent, "message": told}
