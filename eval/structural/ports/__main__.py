"""Measures ports and signals of modules against slang's elaboration, with and without defines.

Usage: python -m hdlgraph.eval.structural.ports FOLDER... [--every N] [--show N]

Each file with a module is elaborated with the packages that it imports, once with no macro
defined and once with all that its `ifdefs ask for. What a unit declares there is compared with its
facts, those whose condition holds: ports in their order and with their direction, signals by name.
Where a header decides a condition, or what a macro stands for, or where a generate loop makes
nothing, facts count for recall alone. Macros that a file uses and does not include are those of
any file that defines them. A file that slang rejects with its defines is left out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.ports.corpus import Corpus
from hdlgraph.eval.structural.ports.scores import measure


@telling_errors
def main() -> None:
    """Prints the scores of the folders."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.eval.structural.ports",
        description="ports and signals against elaboration",
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="one of so many files")
    parser.add_argument("--show", type=int, default=0, help="differences to print of each kind")
    asked = parser.parse_args()
    write = sys.stdout.write
    for folder in asked.folders:
        scores, counts = measure(Corpus(folder.resolve()), asked.every)
        write(f"{folder.name} {dict(sorted(counts.items()))}\n")
        for name, score in scores.items():
            write(f"  {score.line(name)}\n")
            for sign, listed in (("-", score.missing), ("+", score.extra)):
                for one in listed[: asked.show]:
                    write(f"    {sign} {one}\n")


if __name__ == "__main__":
    raise SystemExit(main())
