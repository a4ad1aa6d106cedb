"""The command line of the benchmark of growth.

python -m hdlgraph.eval.bench_scale corpus SIZE DIR     writes a corpus
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.bench_scale.corpus import SEED, write_corpus


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench_scale", description=__doc__)
    commands = parser.add_subparsers(required=True)
    corpus = commands.add_parser("corpus", help="writes a corpus of SIZE HDL files")
    corpus.add_argument("size", type=int)
    corpus.add_argument("folder", type=Path)
    corpus.add_argument("--seed", type=int, default=SEED)
    corpus.set_defaults(run=_corpus)
    given = parser.parse_args(arguments)
    try:
        return int(given.run(given))
    except HdlgraphError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code


def _corpus(given: argparse.Namespace) -> int:
    from hdlgraph.eval.bench_scale.sources import read_designs

    found = write_corpus(read_designs(), given.size, given.folder, given.seed)
    sys.stdout.write(json.dumps(found, sort_keys=True) + "\n")
    return 0
