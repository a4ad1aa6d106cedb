"""Attacks with a model endpoint: every fault, each in a process of its own.

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

from campaigns.outcome import Outcome
from hdlgraph.eval.stubs.faults import HOSTILE, always
from hdlgraph.eval.stubs.server import Stub, quarter

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
    for _ in range(count):
        outcomes, trouble = _asked(quiet, name, url)
        for one in outcomes:
            most_mb, most_s = max(most_mb, one["mb"]), max(most_s, one["seconds"])
            if one["mb"] > MOST_MB or one["seconds"] > MOST_S:
                told = f"{one['mb']:.0f} MB, {one['seconds']:.1f} s, {one['message'][-300:]}"
                failures.append(f"{one['way']}: {told}")
        if trouble:
            failures.append(f"{_asking.WAYS[len(outcomes)]}: {trouble}")
    figure = f"{most_mb:.0f} MB above normal, {most_s:.1f} s"
    tried = len(_asking.WAYS) * count
    return Outcome(f"endpoint: {name}", tried, tuple(failures), figure, time.monotonic() - started)


def _asked(quiet: str, name: str, url: str) -> tuple[list[dict], str]:
    """Returns what a process of its own tells of each way, and why it ended before the last."""
    ways = ",".join(_asking.WAYS)
    command = [sys.executable, _asking.__file__, ways, str(TIMEOUT_S), quiet, f"{name}={url}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=KILLED_S)
        printed, trouble = done.stdout, done.stderr[-500:]
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode()
        trouble = f"still at work after {KILLED_S} s"
    outcomes = [json.loads(line) for line in printed.splitlines()]
    return outcomes, trouble if len(outcomes) < len(_asking.WAYS) else ""
