"""Fine-tunes a model on the pairs of several repositories together.

    python -m hdlgraph.train.full INDEX=PAIRS.jsonl... --out DIR [--tokens]
        [--judge INDEX=PAIRS.jsonl]... [--settings FILE] [--seed N] [--pairs N] [--epochs N]
        [--rate X] [--last N] [--length N]

`hdlgraph train embedder PAIRS.jsonl --full` and `hdlgraph train token-encoder PAIRS.jsonl` do it
for one. `--tokens` takes the encoder of token vectors in place of the embedder, `--last` learns so
many of the last layers alone, `--length` tokens of a text are read, and `--pairs` takes so many of
each file, spread evenly over it. Indexes of `--judge` are left out of the training, and judged on
in place of a fifth of the pairs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.project import Project
from hdlgraph.train.full.fine_tune import check_extra, fine_tune
from hdlgraph.train.full.material import Source, source
from hdlgraph.train.full.open import open_tunable
from hdlgraph.train.pairs import Pair, read_pairs
from hdlgraph.train.report import EMBEDDER, TOKEN_ENCODER


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the judgement; the command `python -m hdlgraph.train.full`."""
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.train.full", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("given", nargs="+", metavar="INDEX=PAIRS.jsonl")
    parser.add_argument("--judge", action="append", default=[], metavar="INDEX=PAIRS.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--settings", type=Path)
    parser.add_argument("--pairs", type=int, default=0)
    for name, kind in (("seed", int), ("epochs", int), ("last", int), ("rate", float)):
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--length", type=_length)
    given = parser.parse_args(arguments)
    chosen = {name: getattr(given, name) for name in ("seed", "epochs", "last", "rate")}
    chosen["tokens"] = given.length
    recipe = {name: value for name, value in chosen.items() if value is not None}
    check_extra()
    made: dict[str, Any] = {}
    sources, made["sources"] = _sources(given.given, given.settings, given.pairs)
    others, made["judged_on"] = _sources(given.judge, given.settings)
    which = TOKEN_ENCODER if given.tokens else EMBEDDER
    model = open_tunable(sources[0].project.settings.embedding, which, **recipe)
    out = given.out.expanduser().resolve()
    report = fine_tune(model, sources, out, made, _report, others)
    sys.stdout.write(report.to_text() + "\n")
    return 0


def _length(text: str) -> int:
    """Returns how many tokens of a text are read; a model has places for 512."""
    if not text.isdecimal() or not 8 <= int(text) <= 512:
        raise argparse.ArgumentTypeError("must be 8 to 512")
    return int(text)


def _sources(
    given: Sequence[str], settings: Path | None, count: int = 0
) -> tuple[list[Source], list[dict[str, Any]]]:
    """Returns indexes with their pairs, and where these come from."""
    sources, made = [], []
    for text in given:
        index, equals, file = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: write INDEX=PAIRS.jsonl")
        pairs = spread(read_pairs(Path(file)), count)
        sources.append(source(Project.open(Path(index), settings), pairs))
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        made.append({"from": Path(file).name, "sha256": digest, "pairs": len(pairs)})
    return sources, made


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
