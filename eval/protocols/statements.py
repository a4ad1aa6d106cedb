"""Draws statements that an index makes of files, for a reader who judges them by the sources.

    python -m hdlgraph.eval.protocols.statements INDEX... [--of explanations|structures]
        [--count 25] [--seed 1] > statements.jsonl

Printed is one JSON object a line, without a word of how the statement came about: `index` (name of
the folder), `path`, `statement`. Of an explanation every sentence is a statement, of a structure
"This file is: NAME.". Each file gives at most one; the same seed draws the same files.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from hdlgraph.errors import IndexMissingError, telling_errors
from hdlgraph.model import Explanation
from hdlgraph.store.design.facts import read_facts
from hdlgraph.store.explanations import read_jsonl
from hdlgraph.store.structures import StoredStructures

PARTS = ("purpose", "behaviour", "interfaces", "parameters", "instances")
LEAST_WORDS = 3
_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`\"'(0-9])")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the statements drawn from each index; returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.eval.protocols.statements", description=__doc__
    )
    parser.add_argument("index", nargs="+", type=Path, help="folder of an index")
    parser.add_argument("--of", choices=("explanations", "structures"), default="explanations")
    parser.add_argument("--count", type=int, default=25, help="statements of each index")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    offers = explained if args.of == "explanations" else called
    for folder in args.index:
        for path, statement in draw(offers(generation(folder)), args.count, args.seed):
            row = {"index": folder.name, "path": path, "statement": statement}
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    return 0


def generation(folder: Path) -> Path:
    """Returns the newest generation's folder of an index."""
    found = sorted(folder.glob("gen-*"), key=lambda one: int(one.name.partition("-")[2]))
    if not found:
        raise IndexMissingError(f"{folder}: no index; run `hdlgraph index --index {folder}` first")
    return found[-1]


def draw(
    offers: Iterator[tuple[str, Sequence[str]]], count: int, seed: int
) -> list[tuple[str, str]]:
    """Returns `count` (path, statement) pairs of different files, sorted by path."""
    files = [(path, found) for path, found in offers if found]
    chance = random.Random(seed)
    chosen = chance.sample(files, min(count, len(files)))
    return sorted((path, chance.choice(list(found))) for path, found in chosen)


def explained(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields each file's path and the sentences of its explanation."""
    for path, explanation in sorted(read_jsonl(folder / "explanations.jsonl").items()):
        yield path, sentences(explanation)


def sentences(explanation: Explanation) -> list[str]:
    """Returns the sentences of an explanation that say something."""
    parts = (getattr(explanation, part) for part in PARTS)
    found = (text.strip() for part in parts for text in _END.split(part))
    return [text for text in found if len(text.split()) >= LEAST_WORDS]


def called(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields each file's path and the structures that it is called."""
    stored = StoredStructures.find(folder)
    if stored is None:
        return
    names: dict[int, dict[str, None]] = {}
    for number, (name, _) in enumerate(stored.texts):
        files, _, claims = stored.links.of(number)
        for file in files[np.flatnonzero(claims)]:
            names.setdefault(int(file), {})[f"This file is: {name}."] = None
    for number, record in enumerate(read_facts(folder)):
        yield record.path, list(names.get(number, ()))


if __name__ == "__main__":
    raise SystemExit(main())
