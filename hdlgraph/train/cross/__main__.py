"""Trains a cross-encoder for the first files and tries it on repositories that were left out.

    python -m hdlgraph.train.cross INDEX=QUESTIONS.jsonl... --fit INDEX=QUESTIONS.jsonl...
        --judge INDEX=QUESTIONS.jsonl... --out DIR [--start embedder|tokens|reranker|FOLDER]
        [--questions N] [--scored N] [--layers N] [--epochs N] ...

The model learns from the indexes that are named first; on those of `--fit` the weight beside the
search is chosen and a network fitted; those of `--judge` are only judged. `--questions` and
`--scored` take so many of the first two, evenly spread. An index may be named more than once.
Printed: recall@1, @5 and @20 by the search and with the scores, for each index and kind of
question, and what was won and lost at rank 1. The model stands in DIR; no search uses it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.eval.fit.recall import table
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.train.cross.fit import CrossRecipe
from hdlgraph.train.cross.material import Listed, collect
from hdlgraph.train.cross.model import CrossEncoder
from hdlgraph.train.cross.trial import ALIKE, BASES, SEEN, compare, learn, near_of
from hdlgraph.train.full.fine_tune import check_extra
from hdlgraph.train.judging import Compared


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the comparison; the command `python -m hdlgraph.train.cross`."""
    given = _parser().parse_args(arguments)
    check_extra()
    recipe = CrossRecipe(**{name: getattr(given, name) for name in CHOICES})
    parts = [_read(some) for some in (given.given, given.fit, given.judge)]
    names = [name for part in parts for name in part]
    if len({*names}) < len(names):
        raise UsageError("an index is named twice: learn, fit and judge on different ones")
    learnt, known, asked = ([one for some in part.values() for one in some] for part in parts)
    out, made = given.out.expanduser().resolve(), {"sources": _sources(given.given)}
    model = CrossEncoder(learn(_spread(learnt, given.questions), out, recipe, made, _tick))
    known = _spread(known, given.scored)
    scored = known, near_of(model, known, SEEN, _tick)
    ranks = compare(learnt, scored, (asked, near_of(model, asked, tick=_tick)))
    for line in report(asked, ranks):
        sys.stdout.write(line + "\n")
    return 0


CHOICES: Mapping[str, type] = {
    "start": str, "layers": int, "last": int, "tokens": int, "rate": float, "batch": int,
    "hard": int, "near": int, "epochs": int, "seed": int,
}  # fmt: skip
"""Parts of the recipe that may be chosen."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m hdlgraph.train.cross", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("given", nargs="+", metavar="INDEX=QUESTIONS.jsonl")
    for name in ("fit", "judge"):
        parser.add_argument(f"--{name}", nargs="+", required=True, metavar="INDEX=QUESTIONS.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    for name in ("questions", "scored"):
        parser.add_argument(f"--{name}", type=int, default=0, metavar="N")
    usual = CrossRecipe()
    for name, kind in CHOICES.items():
        parser.add_argument(f"--{name}", type=kind, default=getattr(usual, name))
    return parser


def _read(given: Sequence[str]) -> dict[str, list[Listed]]:
    """Returns the questions of each index by its name, as the search ranks them."""
    files: dict[Path, list[Path]] = {}
    for index, file in map(_parted, given):
        files.setdefault(index, []).append(file)
    found: dict[str, list[Listed]] = {}
    for index, some in files.items():
        questions = [question for file in some for question in read_questions(file)]
        found.setdefault(index.name, []).extend(collect(index, questions))
        sys.stderr.write(f"{index.name}: {len(found[index.name])} questions\n")
    return found


def _spread(listed: list[Listed], count: int) -> list[Listed]:
    """Returns so many questions, evenly spread; all for 0, and where there are no more."""
    if not 0 < count < len(listed):
        return listed
    return [listed[n * len(listed) // count] for n in range(count)]


def _sources(given: Sequence[str]) -> list[dict[str, Any]]:
    """Returns what was learnt from, without anything of this machine."""
    return [
        {"from": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        for _, file in map(_parted, given)
    ]


def _parted(text: str) -> tuple[Path, Path]:
    index, equals, file = text.partition("=")
    if not equals:
        raise UsageError(f"{text}: write INDEX=QUESTIONS.jsonl")
    return Path(index), Path(file)


def report(asked: Sequence[Listed], ranks: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Yields lines: recall of each way by index and kind, then each against what it is put on."""
    for name, found in ranks.items():
        yield f"[{name}]"
        yield from table([one.asked for one in asked], {"@1 @5 @20": found})
    for name, found in ranks.items():
        base = BASES[max((one for one in BASES if name.startswith(one)), key=len)]
        if name in (base, ALIKE):
            continue
        one = Compared(name, tuple(ranks[base].tolist()), tuple(found.tolist())).to_dict()
        gain, low, high = (100 * value for value in one["gain_at_1"])
        yield (
            f"{name} against {base}: @1 {gain:+.1f} ({low:+.1f} to {high:+.1f}), "
            f"p {one['p_at_1']:.3f}, {one['won']} won, {one['lost']} lost; by MRR p {one['p']:.3f}"
        )


def _tick(stage: str, done: int, total: int) -> None:
    if done == total or done % 50 == 0:
        sys.stderr.write(f"{stage} {done}/{total}\n")


if __name__ == "__main__":
    raise SystemExit(main())
