"""Comparisons of two systems over the questions of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hdlgraph.eval import measures
from hdlgraph.eval.tables import table

from hdlgraph.errors import UsageError


def pool(runs: Sequence[Mapping], first: str, second: str, k: int = 1) -> dict[str, float]:
    """Returns how two systems differ in recall@k over all questions of all runs together.

    Args:
        runs: run files as `EvalReport.to_dict()` makes them (schema 2).
        first: name of the system that should win.
        second: name of the other one.
        k: cutoff, 1 to 10 (run files keep ten paths a question).

    Returns:
        n (questions), difference of the means (first - second) with low and high, the bounds of
        its 95 % paired bootstrap interval, p (two-sided, paired bootstrap), wins and losses.

    Raises:
        UsageError: there is no run, a run lacks one of the systems, or k is out of range.
    """
    if not runs:
        raise UsageError("no run to compare: give at least one")
    if not 1 <= k <= 10:
        raise UsageError(f"k is {k}: run files keep ten paths a question, so take 1 to 10")
    one, other = (
        [value for run in runs for value in _recalls(run, name, k)] for name in (first, second)
    )
    between = measures.paired_interval(one, other)
    won = measures.duel(one, other)
    return {
        "n": len(one),
        "difference": between.mean,
        "low": between.low,
        "high": between.high,
        "p": measures.paired_p(one, other),
        "wins": won.wins,
        "losses": won.losses,
    }


def _recalls(run: Mapping, name: str, k: int) -> list[float]:
    """Returns recall@k of each question of a run, in the order of its `asked`."""
    found = {system["name"]: system for system in run["systems"]}
    if name not in found:
        raise UsageError(
            f"run {run.get('name', '?')}: has no system {name} (there are {', '.join(found)}); "
            "run it again with that system"
        )
    answers = {question["id"]: question["top"] for question in found[name]["questions"]}
    return [measures.recall(answers[one["id"]], one["relevant"], k) for one in run["asked"]]


def against_all(runs: Sequence[Mapping], first: str, k: int = 1) -> dict[str, dict[str, float]]:
    """Returns `pool` of one system against every other that all runs have, the hardest first."""
    names = [{system["name"] for system in run["systems"]} for run in runs]
    shared = set.intersection(*names) - {first} if names else set()
    if any(first not in found for found in names):
        return {}
    pooled = {name: pool(runs, first, name, k) for name in sorted(shared)}
    return dict(sorted(pooled.items(), key=lambda item: (item[1]["difference"], item[0])))


def to_text(pooled: Mapping[str, Mapping[str, float]], first: str, runs: Sequence[str]) -> str:
    """Returns the comparisons of `against_all` as tables: other systems, then variants."""
    n = next(iter(pooled.values()))["n"] if pooled else 0
    parts = [
        f"{' + '.join(runs)} pooled, {n:.0f} questions: paired bootstrap of recall@1, closest first"
    ]
    own = {name: found for name, found in pooled.items() if name.startswith(f"{first}-")}
    others = {name: found for name, found in pooled.items() if name not in own}
    parts += [
        _table(part, head)
        for part, head in ((others, f"{first} against"), (own, f"{first} against its variants"))
        if part
    ]
    return "\n\n".join(parts)


def _table(pooled: Mapping[str, Mapping[str, float]], head: str) -> str:
    rows = [[head, "points", "95 % interval", "p", "won", "lost"]]
    for name, found in pooled.items():
        low, high = (f"{100 * found[end]:+.1f}" for end in ("low", "high"))
        points = f"{100 * found['difference']:+.1f}"
        shares = [f"{found['p']:.4f}", f"{found['wins']:.0f}", f"{found['losses']:.0f}"]
        rows.append([name, points, f"{low} to {high}", *shares])
    return table(rows)
