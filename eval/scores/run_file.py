"""Reads run files: evaluations as JSON (schema 2, see docs/json.md).

What is read is checked; keys that a record does not name are skipped. Keys of schema 1 have the
same places in schema 2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.run_json import SCHEMA
from hdlgraph.eval.scores.run_records import RunFile

_REMEDY = "name a file that `hdlgraph eval run --json FILE` or `hdlgraph eval suite` wrote"


def read_runs(paths: Sequence[Path]) -> list[RunFile]:
    """Returns the runs of files in the order given.

    Raises:
        UsageError: no file, one that cannot be read or is not a run file of schema 2, or two
            runs of the same name; names file and key.
    """
    if not paths:
        raise UsageError("no run file named; `hdlgraph eval run QUESTIONS --json FILE` writes one")
    runs = []
    first: dict[str, Path] = {}
    for path in paths:
        run = read_run(Path(path))
        if run.name in first:
            raise UsageError(
                f"{path}: the run {run.name!r} is also in {first[run.name]}; leave one out, or "
                'give it another "name"'
            )
        first[run.name] = Path(path)
        runs.append(run)
    return runs


def read_run(path: Path) -> RunFile:
    """Returns the run of one file.

    Raises:
        UsageError: see `read_runs`.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}; check the path") from error
    except (ValueError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{path}: not JSON{place}; {_REMEDY}") from error
    found = data.get("schema") if isinstance(data, dict) else None
    if found != SCHEMA or isinstance(found, bool):
        excerpt = json.dumps(found)[:40] if isinstance(data, dict) else "no object"
        raise UsageError(f'{path}: "schema" is {excerpt}, not {SCHEMA}; {_REMEDY}')
    try:
        run = msgspec.convert(data, RunFile)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}; {_REMEDY}") from error
    _check(path, run)
    return run


def _check(path: Path, run: RunFile) -> None:
    """Raises an error where the parts of a run file do not fit each other."""
    ids = [asked.id for asked in run.asked]
    for key, values in (("asked", ids), ("systems", [s.name for s in run.systems])):
        again = sorted({value for value in values if values.count(value) > 1})
        if again:
            raise UsageError(f'{path}: "{key}" has {again[0]!r} twice; {_REMEDY}')
    if run.n_questions != len(ids):
        raise UsageError(f'{path}: "n_questions" is {run.n_questions}, "asked" has {len(ids)}')
    needed = [f"{kind}@{k}" for k in run.ks for kind in ("recall", "lenient")] + ["mrr", "ndcg@10"]
    for system in run.systems:
        missing = [key for key in needed if key not in system.measures]
        if missing:
            raise UsageError(
                f'{path}: system {system.name}: "measures" lacks "{missing[0]}"; {_REMEDY}'
            )
        if [place.id for place in system.questions] != ids:
            raise UsageError(
                f'{path}: system {system.name}: the ids of "questions" are not those of "asked", '
                f"in the same order; {_REMEDY}"
            )
    known = {system.name for system in run.systems}
    for pair in run.pairs:
        for name in (pair.first, pair.second):
            if name not in known:
                raise UsageError(f'{path}: "pairs" names {name!r}, which is no system of the run')
