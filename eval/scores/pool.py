"""Comparisons of two systems over the questions of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores import measures
from hdlgraph.eval.scores.tables import chance, table


def pool(
    runs: Sequence[Mapping[str, Any]], first: str, second: str, k: int = 1
) -> dict[str, float]:
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


def _recalls(run: Mapping[str, Any], name: str, k: int) -> list[float]:
    """Returns recall@k of each question of a run, in the order of its `asked`."""
    found = {system["name"]: system for system in run["systems"]}
    if name not in found:
        raise UsageError(
            f"run {run.get('name', '?')}: has no system {name} (there are {', '.join(found)}); "
            "run it again with that system"
        )
    answers = {question["id"]: question["top"] for question in found[name]["questions"]}
    return [measures.recall(answers[one["id"]], one["relevant"], k) for one in run["asked"]]


def against_all(
    runs: Sequence[Mapping[str, Any]], first: str, k: int = 1
) -> dict[str, dict[str, float]]:
    """Returns `pool` of one system against every other that all runs have, the hardest first."""
    names = [{system["name"] for system in run["systems"]} for run in runs]
    shared = set.intersection(*names) - {first} if names else set()
    if any(first not in found for found in names):
        return {}
    pooled = {name: pool(runs, first, name, k) for name in sorted(shared)}
    return dict(sorted(pooled.items(), key=lambda item: (item[1]["difference"], item[0])))


@dataclass(frozen=True, slots=True)
class Pool:
    """One system against the others over the questions of several runs together.

    `means` are its recall@k by k, and those of the others by name, averaged over the questions.
    """

    runs: tuple[str, ...]
    first: str
    means: Mapping[str, Mapping[int, float]]
    against: Mapping[str, Mapping[str, float]]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        means = {
            name: {f"recall@{k}": value for k, value in of.items()}
            for name, of in self.means.items()
        }
        return {"runs": list(self.runs), "means": means, self.first: dict(self.against)}

    def to_text(self, name: str) -> str:
        """Returns the comparisons as tables under a name: other systems, then variants."""
        n = next(iter(self.against.values()))["n"]
        best = ", ".join(f"@{k} {value:.3f}" for k, value in self.means[self.first].items())
        head = (
            f"== {name}: {' + '.join(self.runs)}, {n:.0f} questions ==\n"
            f"{self.first}: recall {best}; paired bootstrap of recall@1, closest first"
        )
        is_own = {one: one.startswith(f"{self.first}-") for one in self.against}
        parts = [
            self._table([one for one in self.against if is_own[one] == own], title)
            for own, title in (
                (False, f"{self.first} against"),
                (True, f"{self.first} against its variants"),
            )
            if own in is_own.values()
        ]
        return "\n\n".join([head, *parts])

    def _table(self, names: Sequence[str], head: str) -> str:
        marks = [f"its @{k}" for k in self.means[self.first]]
        rows = [[head, *marks, "points", "95 % interval", "p", "won", "lost"]]
        for name in names:
            means = [f"{value:.3f}" for value in self.means[name].values()]
            rows.append([name, *means, *_cells(self.against[name])])
        return table(rows)


def pools(
    runs: Sequence[Mapping[str, Any]], first: str, ks: Sequence[int] = (1, 5, 10)
) -> dict[str, Pool]:
    """Returns the pools of runs by name, in the order of their first runs.

    Args:
        runs: run files as `EvalReport.to_dict()` makes them; those whose `pool` is "" are left out.
        first: name of the system to compare; a pool in which a run lacks it is left out, and so is
            one of a single run.
        ks: cutoffs of the means, 1 to 10.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        if run["pool"]:
            groups.setdefault(run["pool"], []).append(run)
    out = {}
    for name, members in groups.items():
        against = against_all(members, first) if len(members) > 1 else {}
        if against:
            means = {one: {k: _mean(members, one, k) for k in ks} for one in (first, *against)}
            out[name] = Pool(tuple(run["name"] for run in members), first, means, against)
    return out


def _mean(runs: Sequence[Mapping[str, Any]], name: str, k: int) -> float:
    values = [value for run in runs for value in _recalls(run, name, k)]
    return sum(values) / len(values)


def _cells(found: Mapping[str, float]) -> list[str]:
    low, high = (f"{100 * found[end]:+.1f}" for end in ("low", "high"))
    points = f"{100 * found['difference']:+.1f}"
    shares = [chance(found["p"], 4), f"{found['wins']:.0f}", f"{found['losses']:.0f}"]
    return [points, f"{low} to {high}", *shares]
