"""The command line of the benchmark of growth: `python -m hdlgraph.eval.bench_scale`.

corpus SIZE DIR          writes a corpus of SIZE HDL files
measure SIZE... -w DIR   makes and measures corpora, one after the other; goes on where it stopped
vectors COUNT... -w DIR --indexes DIR...
                         compares the vector stores on synthetic vectors of those of indexes
draw -w DIR -o DIR       writes the table, the figures and the curves of what was measured
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import cache
from pathlib import Path

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.eval.bench_scale.corpus import SEED, write_corpus
from hdlgraph.eval.bench_scale.sources import Designs

SIZES = (1_000, 4_000, 16_000, 64_000, 100_000)


def _size(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text}: a size is a number of files, 1 or more")
    return int(text)


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    given = _parser().parse_args(arguments)
    return int(given.run(given))


def _parser() -> argparse.ArgumentParser:
    from hdlgraph.eval.bench_scale.measure import STEPS

    parser = argparse.ArgumentParser(
        "python -m hdlgraph.eval.bench_scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    corpus = commands.add_parser("corpus", help="writes a corpus of SIZE HDL files")
    corpus.add_argument("size", type=_size, metavar="SIZE")
    corpus.add_argument("folder", type=Path, metavar="DIR")
    corpus.add_argument("--seed", type=int, default=SEED)
    corpus.set_defaults(run=_corpus)
    measure = commands.add_parser("measure", help="makes and measures corpora")
    measure.add_argument("sizes", type=_size, nargs="*", default=SIZES, metavar="SIZE")
    measure.add_argument("-w", "--work", type=Path, required=True, metavar="DIR")
    measure.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    measure.set_defaults(run=_measure)
    vectors = commands.add_parser("vectors", help="compares the vector stores by size")
    vectors.add_argument("counts", type=int, nargs="*", metavar="COUNT")
    vectors.add_argument("-w", "--work", type=Path, required=True, metavar="DIR")
    vectors.add_argument("--indexes", type=Path, nargs="+", required=True, metavar="DIR")
    vectors.add_argument("--seed", type=int, default=SEED)
    vectors.set_defaults(run=_vectors)
    draw = commands.add_parser("draw", help="writes table, figures and curves")
    draw.add_argument("-w", "--work", type=Path, required=True, metavar="DIR")
    draw.add_argument("-o", "--out", type=Path, required=True, metavar="DIR")
    draw.set_defaults(run=_draw)
    return parser


@cache
def _designs() -> Designs:
    from hdlgraph.eval.bench_scale.sources import read_designs

    return read_designs()


def _corpus(given: argparse.Namespace) -> int:
    found = write_corpus(_designs(), given.size, given.folder, given.seed)
    sys.stdout.write(json.dumps(found, sort_keys=True) + "\n")
    return 0


def _measure(given: argparse.Namespace) -> int:
    from hdlgraph.eval.bench_scale.measure import Place, measure

    for size in given.sizes:
        measure(Place(given.work, size), _designs, given.steps, _say)
    return 0


def _vectors(given: argparse.Namespace) -> int:
    from hdlgraph.eval.bench_scale.stores import COUNTS, compare, material, spread

    made_of = material(given.indexes, given.work, given.seed)
    rows = [spread(made_of, given.seed)]
    _say(json.dumps(rows[0], sort_keys=True))
    for count in given.counts or COUNTS:
        found = compare(made_of, count, given.seed)
        rows += found
        for row in found:
            _say(json.dumps(row, sort_keys=True))
    text = json.dumps(rows, indent=1, sort_keys=True) + "\n"
    (given.work / "vectors.json").write_text(text, encoding="utf-8")
    return 0


def _draw(given: argparse.Namespace) -> int:
    from hdlgraph.eval.bench_scale.growth import CURVES, flat, picture, points_of, table

    results = {
        int(file.stem): json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((given.work / "results").glob("*.json"))
    }
    if not results:
        raise UsageError(f"{given.work}: nothing was measured there; run `measure` first")
    given.out.mkdir(parents=True, exist_ok=True)
    kept = {size: results[size] for size in sorted(results)}
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    (given.out / "scale.json").write_text(text, encoding="utf-8")
    for name, figures in CURVES.items():
        if any(points_of(kept, figure) for figure in figures):
            svg = picture(f"Growth: {name}", figures, kept)
            (given.out / f"scale-{name}.svg").write_text(svg + "\n", encoding="utf-8")
    sys.stdout.write(table(flat(kept)))
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
