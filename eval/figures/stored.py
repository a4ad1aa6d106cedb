"""Summaries of benchmark runs that stand in the repository, with where they come from.

A file `eval/figures/NAME.json` is what `hdlgraph eval suite` found, without the answers to single
questions: for each run its corpus, questions and the means of each system, and the comparisons of
pooled runs. `commands`, `commit`, `date` and `machine` say how to repeat it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.eval.protocols.suite import RUNS
from hdlgraph.eval.scores.pool import pools

FOLDER = Path(__file__).parent
OWN = "hdlgraph"
MEASURES = ("recall@1", "recall@5", "recall@10", "mrr")


class StoredRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run: its corpus, how many files and questions, system -> measure -> mean."""

    corpus: str
    pool: str
    files: int
    questions: int
    systems: dict[str, dict[str, float]]


class Comparison(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much better hdlgraph is than another system over pooled questions.

    `difference`, `low` and `high` are recall@1 and its 95 % interval as shares of 1; `p` is that
    of a paired bootstrap; `wins` and `losses` count questions.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    wins: int
    losses: int


class StoredPool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several runs together: system -> measure -> mean, and hdlgraph against each other system."""

    runs: tuple[str, ...]
    means: dict[str, dict[str, float]]
    against: dict[str, Comparison]


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stored benchmark: where it comes from, its runs and their pools by name."""

    schema: int
    commands: tuple[str, ...]
    commit: str
    date: str
    machine: dict[str, str | int | float]
    runs: dict[str, StoredRun]
    pools: dict[str, StoredPool]


def summary(folder: Path, commands: Sequence[str], commit: str) -> Stored:
    """Returns the summary of what `hdlgraph eval suite --out FOLDER` wrote.

    Args:
        folder: the output of one suite or of several: NAME.json of each run.
        commands: the commands that made it.
        commit: the version of the code that ran.

    Raises:
        UsageError: there is no run in the folder.
    """
    files = [folder / f"{name}.json" for name in RUNS]
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
    if not found:
        raise UsageError(f"{folder}: no run in it; name the --out folder of `hdlgraph eval suite`")
    last = max(found, key=lambda report: report["date"])
    pooled = pools(found, OWN)
    return Stored(
        schema=1,
        commands=tuple(commands),
        commit=commit,
        date=last["date"],
        machine=last["machine"],
        runs={report["name"]: _run(report) for report in found},
        pools={name: _pool(pool.to_dict()) for name, pool in sorted(pooled.items())},
    )


def _run(report: Mapping[str, Any]) -> StoredRun:
    systems = {
        system["name"]: {key: system["measures"][key]["mean"] for key in MEASURES}
        for system in report["systems"]
    }
    counts = (report["n_files"], report["n_questions"])
    return StoredRun(report["corpus"], report["pool"], *counts, systems)


def _pool(found: Mapping[str, Any]) -> StoredPool:
    compared = {name: _comparison(one) for name, one in found[OWN].items()}
    means = {
        name: {key: round(value, 4) for key, value in of.items()}
        for name, of in found["means"].items()
    }
    return StoredPool(tuple(found["runs"]), means, compared)


def _comparison(found: Mapping[str, Any]) -> Comparison:
    shares = {key: round(found[key], 4) for key in ("difference", "low", "high", "p")}
    counts = {key: int(found[key]) for key in ("n", "wins", "losses")}
    return Comparison(**shares, **counts)


def write(stored: Stored, name: str, folder: Path = FOLDER) -> Path:
    """Writes a summary to NAME.json and returns its path."""
    file = folder / f"{name}.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n")
    return file


def read(name: str, folder: Path = FOLDER) -> Stored:
    """Returns the summary NAME.json.

    Raises:
        UsageError: it is missing or not of this form.
    """
    file = folder / f"{name}.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=Stored)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{file}: is no stored run ({error}); make it with "
            f"`python -m hdlgraph.eval.figures store {name} FOLDER`"
        ) from error
