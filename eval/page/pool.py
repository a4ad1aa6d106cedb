"""Comparisons over the questions of several runs together, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hdlgraph.eval.page.markup import Markup, chance, el, grid, join, points
from hdlgraph.eval.scores.pool import against_all
from hdlgraph.eval.scores.run_records import RunFile


def alike(runs: Sequence[RunFile]) -> list[tuple[str, list[RunFile], list[RunFile]]]:
    """Returns the runs to be taken together: label, members, and what was left out.

    Runs of one `pool` belong together. Of the others those do that have the same writer of
    explanations and the same kind of candidates; of each corpus the first of them counts, so that
    a special set does not weigh twice. Groups of one are left out.
    """
    pooled: dict[str, list[RunFile]] = {}
    for run in runs:
        if run.pool:
            pooled.setdefault(run.pool, []).append(run)
    out: list[tuple[str, list[RunFile], list[RunFile]]] = [
        (name, members, []) for name, members in pooled.items() if len(members) > 1
    ]
    return out + _of_a_kind([run for run in runs if not run.pool])


def _of_a_kind(runs: Sequence[RunFile]) -> list[tuple[str, list[RunFile], list[RunFile]]]:
    groups: dict[str, list[RunFile]] = {}
    for run in runs:
        scope = "candidates from a list" if run.restricted else "all files"
        groups.setdefault(f"{run.explanations or 'unnamed'} explanations, {scope}", []).append(run)
    out = []
    for label, found in groups.items():
        first = {run.corpus or run.name: run for run in reversed(found)}
        members = [run for run in found if run is first[run.corpus or run.name]]
        if len(members) > 1:
            out.append((label, members, [run for run in found if run not in members]))
    return out


def pooled_section(runs: Sequence[RunFile]) -> Markup | None:
    """Returns the comparisons over runs of the same kind, None when no two are alike."""
    parts = []
    for label, members, rest in alike(runs):
        leader = members[0].leader.name
        found = against_all([msgspec.to_builtins(run) for run in members], leader)
        if found:
            parts.append(_table(leader, label, members, found))
            if rest:
                names = ", ".join(f"{run.name} (also on {run.corpus})" for run in rest)
                parts.append(el("p", f"Left out of this comparison: {names}."))
    if not parts:
        return None
    note = (
        "All questions of the runs in one paired bootstrap of recall@1: the interval of the "
        "difference, and the two-sided p of no difference. The closest system comes first."
    )
    return join([el("h2", "Sets together", id="pooled"), el("p", note), *parts])


def _table(
    leader: str, label: str, runs: Sequence[RunFile], found: Mapping[str, Mapping[str, float]]
) -> Markup:
    count = f"{next(iter(found.values()))['n']:.0f} questions"
    caption = f"{label}: {' + '.join(run.name for run in runs)}, {count}"
    rows: list[list[str]] = []
    for name, pooled in found.items():
        span = f"{points(pooled['low'])} to {points(pooled['high'])}"
        won = [f"{pooled[key]:.0f}" for key in ("wins", "losses")]
        rows.append([name, points(pooled["difference"]), span, *won, chance(pooled["p"])])
    return grid(
        caption,
        [f"{leader} against", "points of recall@1", "95 % interval", "won", "lost", "p"],
        rows,
    )
