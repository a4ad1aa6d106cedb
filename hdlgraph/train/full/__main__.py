"""Fine-tunes the embedder on the pairs of several repositories together.

    python -m hdlgraph.train.full INDEX=PAIRS.jsonl... --out DIR [--seed N] [--pairs N]

`hdlgraph train embedder PAIRS.jsonl --full` does it for one. `--pairs` takes so many of each file,
spread evenly over it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.project import Project
from hdlgraph.train.full.fine_tune import check_extra, fine_tune
from hdlgraph.train.full.fit import FullRecipe
from hdlgraph.train.full.material import source
from hdlgraph.train.pairs import Pair, read_pairs


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the judgement; the command `python -m hdlgraph.train.full`."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.train.full", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("given", nargs="+", metavar="INDEX=PAIRS.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    usual = FullRecipe()
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--epochs", type=int, default=usual.epochs)
    parser.add_argument("--rate", type=float, default=usual.rate)
    parser.add_argument("--pairs", type=int, default=0)
    given = parser.parse_args(arguments)
    recipe = FullRecipe(seed=given.seed, epochs=given.epochs, rate=given.rate)
    check_extra()
    sources, made = [], []
    for text in given.given:
        index, equals, file = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: write INDEX=PAIRS.jsonl")
        pairs = spread(read_pairs(Path(file)), given.pairs)
        sources.append(source(Project.open(Path(index)), pairs))
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        made.append({"from": Path(file).name, "sha256": digest, "pairs": len(pairs)})
    out = given.out.expanduser().resolve()
    report = fine_tune(sources, out, recipe, {"sources": made}, _report)
    sys.stdout.write(report.to_text() + "\n")
    return 0


def spread(pairs: Sequence[Pair], count: int) -> Sequence[Pair]:
    """Returns so many pairs, evenly spread; all where 0 or more than there are, are asked for."""
    if not 0 < count < len(pairs):
        return pairs
    return [pairs[n * len(pairs) // count] for n in range(count)]


def _report(stage: str, done: int, total: int) -> None:
    if done == total or done % 25 == 0:
        sys.stderr.write(f"{stage} {done}/{total}\n")


if __name__ == "__main__":
    raise SystemExit(main())
