"""Runs the campaigns: python -m campaigns [NAME ...] [--share PERCENT] [--seed N]."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path

FULL = {
    "kills": 600,  # group, main and worker: 200 each, half with embeddings
    "mutants": 10_000,
    "readers": 5_000,
    "exits": 1_000,
    "damage": 500,
    "endpoint": 1,
    "scale": 1,
}
"""How often each campaign attacks, by module name."""


def main() -> int:
    """Prints a row for each attack, returns 1 where one did harm."""
    parser = argparse.ArgumentParser(prog="campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FULL)}; all without")
    parser.add_argument("--share", type=float, default=100.0, help="per cent of the full count")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = given.names or list(FULL)
    for name in names:
        if name not in FULL:
            parser.error(f"campaign {name}: unknown; known are {', '.join(FULL)}")
    harmed = 0
    print(f"{'attack':44} {'tried':>7} {'failed':>7} {'s':>7}  figure", flush=True)
    for name in names:
        campaign = importlib.import_module(f"{__package__}.{name}")
        count = max(1, round(FULL[name] * given.share / 100))
        with tempfile.TemporaryDirectory(prefix=f"attack-{name}-") as folder:
            started = time.monotonic()
            outcomes = campaign.run(count, Path(folder), given.seed)
            spent = time.monotonic() - started
        for one in outcomes:
            seconds = one.seconds or spent / len(outcomes)
            print(
                f"{one.attack:44} {one.tried:7} {len(one.failures):7} {seconds:7.0f}  {one.figure}",
                flush=True,
            )
            for failure in one.failures[:10]:
                print(f"    {failure}", flush=True)
            harmed += bool(one.failures)
    return 1 if harmed else 0


if __name__ == "__main__":
    sys.exit(main())
