"""Tables of one run: measures, kinds, roles, units, cost, comparisons, ablations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hdlgraph.eval.page import charts
from hdlgraph.eval.page.markup import Markup, chance, el, grid, join, points, share
from hdlgraph.eval.scores.run_records import Compared, RunFile, Score, Span, SystemRun

CURVE = 20
"""Ranks that the curves show."""


def headline(run: RunFile) -> Markup:
    """Returns the sentence that says how the leader stands against the best baseline."""
    leader, other = run.leader, run.best_baseline
    key = f"recall@{min(run.ks)}"
    span = leader.measures[key]
    text = f"{leader.name}: {key} {share(span.mean)} [{share(span.low)}–{share(span.high)}]"
    if other is None:
        return el("p", text, class_="lead")
    pair = oriented(run, leader.name, other.name)
    proof = f", p {chance(pair.p_at_1)} at rank 1" if pair else ""
    gap = points(span.mean - other.mean(key))
    return el(
        "p",
        f"{text}; best baseline of the run, {other.name}: {share(other.mean(key))}. "
        f"Difference {gap} points{proof}.",
        class_="lead",
    )


def main_table(run: RunFile) -> Markup:
    """Returns recall, lenient recall, MRR and nDCG of every system; the best in bold."""
    keys = [f"recall@{k}" for k in run.ks] + [f"lenient@{min(run.ks)}", "mrr", "ndcg@10"]
    best = {key: max(system.mean(key) for system in run.systems) for key in keys}
    rows = []
    for system in _ordered(run):
        span = system.measures[keys[0]]
        cells = [_measure(system.measures[key], best[key], key != "ndcg@10") for key in keys]
        whisker = el("td", charts.whisker(*_parts(span)), data_value=round(span.mean, 4))
        rows.append([_name(run, system), whisker, *cells])
    names = {"mrr": f"MRR (to {run.depth})", "ndcg@10": "nDCG@10"}
    return grid(
        "All systems: mean [95 % bootstrap interval over questions]; the best mean in bold",
        ["system", f"{keys[0]}, 0 to 1", *(names.get(key, key) for key in keys)],
        rows,
        sortable=True,
    )


def success_curves(run: RunFile) -> Markup:
    """Returns the chart of questions with a right file among the first k, k = 1 to 20."""
    systems = charted(run)
    names = [system.name for system in systems]
    upto = min(CURVE, run.depth)
    values = [[_within(s.ranks, k) for k in range(1, upto + 1)] for s in systems]
    single = all(len(asked.relevant) == 1 for asked in run.asked)
    called = "recall@k" if single else "success@k"
    note = (
        "Every question has one right file, so this is recall@k."
        if single
        else "Some questions have several right files: the first one counts."
    )
    chart = charts.curves(f"{called} in {run.name}", names, values, "k: files looked at")
    head = f"{called}: share of questions with a right file among the first k"
    return _figure(head, charts.legend(names), chart, note)


def kind_bars(run: RunFile) -> Markup:
    """Returns recall@1 per kind of question as bars."""
    systems = charted(run)[:4]
    key = f"recall@{min(run.ks)}"
    kinds = sorted({kind for system in systems for kind in system.by_kind})
    if not kinds:
        return el("p", "The questions name no kind.")
    groups = [(kind, int(systems[0].by_kind.get(kind, {}).get("n", 0))) for kind in kinds]
    values = [[s.by_kind.get(kind, {}).get(key, 0.0) for s in systems] for kind in kinds]
    names = [system.name for system in systems]
    chart = charts.bars(f"{key} per kind of question in {run.name}", groups, names, values)
    head = f"{key} per kind of question (number of questions)"
    return _figure(head, charts.legend(names, filled=True), chart)


def group_table(run: RunFile, caption: str, attribute: str) -> Markup | None:
    """Returns `by_kind` or `by_role` as a table: per system recall@1 / @10, None when empty."""
    small, large = (f"recall@{k}" for k in (min(run.ks), max(run.ks)))
    systems = [run.leader, *run.baselines]
    found = {s.name: getattr(s, attribute) for s in systems}
    groups = sorted({group for values in found.values() for group in values})
    if not groups:
        return None
    rows = []
    for group in groups:
        count = next((int(v[group].get("n", 0)) for v in found.values() if group in v), 0)
        tops = [found[s.name].get(group, {}).get(small, 0.0) for s in systems]
        cells = [
            _best(
                f"{share(top)} / {share(found[s.name].get(group, {}).get(large, 0.0))}",
                top == max(tops),
            )
            for s, top in zip(systems, tops, strict=True)
        ]
        rows.append([group, count, *cells])
    head = f"{caption}: {small} / @{max(run.ks)}; the best {small} in bold"
    return grid(head, ["", "questions", *(s.name for s in systems)], rows)


def unit_table(run: RunFile) -> Markup | None:
    """Returns right-unit recall and subgraph scores, None where no system has any."""
    rows = []
    keys = [f"recall@{k}" for k in run.ks]
    tops = [f"@{k}" for k in run.ks]
    for system in _ordered(run):
        if system.unit is None and system.subgraph is None:
            continue
        unit, graph = system.unit or {}, system.subgraph or {}
        cells = [_maybe(unit.get(key)) for key in keys]
        for hops in ("h1", "h2"):
            cells += [_maybe(graph.get(hops, {}).get(top)) for top in tops]
        rows.append([_name(run, system), *cells])
    head = [f"unit {top}" for top in tops]
    head += [f"{hops} {top}" for hops in ("1 hop", "2 hops") for top in tops]
    caption = (
        "Finer and coarser: the right module, package or interface among the first k; "
        "the right file within one or two hops of the first k files"
    )
    return grid(caption, ["system", *head], rows) if rows else None


def cost_table(run: RunFile) -> Markup:
    """Returns seconds and memory per system, and what a model was asked."""
    asked = any(system.model for system in run.systems)
    rows = []
    for system in _ordered(run):
        times = (system.query_seconds, system.p50_seconds, system.p99_seconds)
        cells: list[str | Markup] = ["–" if t is None else f"{t * 1000:.1f}" for t in times]
        memory = "–" if system.memory_mb is None else f"{system.memory_mb:,.0f}"
        cells += [f"{system.setup_seconds:.1f}", memory]
        if asked:
            cells.append(", ".join(f"{k} {v}" for k, v in (system.model or {}).items()) or "–")
        rows.append([_name(run, system), *cells])
    head = ["system", "ms/query mean", "p50", "p99", "setup s", "peak memory MB"]
    head += ["language model"] if asked else []
    return grid("Cost, one question at a time; – is not measured", head, rows, sortable=True)


def pair_table(run: RunFile) -> Markup | None:
    """Returns the leader against every other system, and the other pairs folded away."""
    if not run.pairs:
        return None
    leader = run.leader.name
    mine = [found for s in _ordered(run) if (found := oriented(run, leader, s.name))]
    rest = [pair for pair in run.pairs if leader not in (pair.first, pair.second)]
    parts = [grid(f"{leader} against each: paired bootstrap", _PAIR_HEAD, map(_pair_row, mine))]
    if rest:
        table = grid("The first against the second", _PAIR_HEAD, map(_pair_row, rest))
        parts.append(el("details", el("summary", f"The other {len(rest)} pairs"), table))
    return join(parts)


def ablation_table(run: RunFile) -> Markup | None:
    """Returns the leader's variants and what each changes, None without variants."""
    if not run.variants:
        return None
    leader = run.leader
    keys = [f"recall@{k}" for k in run.ks] + ["mrr"]
    rows: list[Sequence[object]] = [
        [leader.name, leader.about or "as it is", *(share(leader.mean(k)) for k in keys), "", ""]
    ]
    for system in run.variants:
        cells = [_change(system.mean(k), leader.mean(k)) for k in keys]
        pair = oriented(run, system.name, leader.name)
        duel = f"{pair.at_1.wins} / {pair.at_1.losses}" if pair else "–"
        chance_ = chance(pair.p_at_1) if pair else "–"
        rows.append([system.name, system.about, *cells, duel, chance_])
    head = ["variant", "what it is", *keys, "won / lost at rank 1", "p"]
    caption = f"Variants: the value, and the change against {leader.name} in points"
    return grid(caption, head, rows)  # type: ignore[arg-type]


def charted(run: RunFile) -> list[SystemRun]:
    """Returns the leader and the strongest baselines, as many as a chart can distinguish."""
    key = f"recall@{min(run.ks)}"
    ranked = sorted(run.baselines, key=lambda s: (-s.mean(key), -s.mean("mrr"), s.name))
    return [run.leader, *ranked[: charts.SERIES - 1]]


def oriented(run: RunFile, first: str, second: str) -> Compared | None:
    """Returns the stored comparison of two systems with `first` as first, None if there is none."""
    for pair in run.pairs:
        if (pair.first, pair.second) == (first, second):
            return pair
        if (pair.first, pair.second) == (second, first):
            ranks, top = (Score(s.losses, s.wins, s.ties) for s in (pair.by_rank, pair.at_1))
            return Compared(first, second, ranks, top, pair.p_mrr, pair.p_at_1)
    return None


_PAIR_HEAD = (
    *("first", "second", "better rank", "worse", "same", "p (MRR)"),
    *("won at rank 1", "lost", "same", "p (rank 1)"),
)


def _pair_row(pair: Compared) -> list[str | int]:
    ranks, top = pair.by_rank, pair.at_1
    row: list[str | int] = [pair.first, pair.second, ranks.wins, ranks.losses, ranks.ties]
    return [*row, chance(pair.p_mrr), top.wins, top.losses, top.ties, chance(pair.p_at_1)]


def _ordered(run: RunFile) -> Iterable[SystemRun]:
    return [run.leader, *run.baselines, *run.variants]


def _name(run: RunFile, system: SystemRun) -> Markup:
    about = el("small", system.about) if system.about else None
    leads = system.name == run.leader.name
    return el("th", el("span", system.name), about, scope="row", class_="us" if leads else None)


def _measure(span: Span, best: float, interval: bool) -> Markup:
    mean, low, high = _parts(span)
    value = el("strong", share(mean)) if mean == best else share(mean)
    around = el("small", f" [{share(low)}–{share(high)}]") if interval else None
    return el("td", value, around, data_value=round(mean, 4))


def _parts(span: Span) -> tuple[float, float, float]:
    return span.mean, span.low, span.high


def _best(text: str, best: bool) -> str | Markup:
    return el("strong", text) if best else text


def _maybe(value: float | None) -> str:
    return "–" if value is None else share(value)


def _change(value: float, before: float) -> Markup:
    return join([share(value), el("small", f" {points(value - before)}")])


def _within(ranks: Sequence[int], k: int) -> float:
    return sum(0 < rank <= k for rank in ranks) / len(ranks)


def _figure(head: str, *parts: Markup | str) -> Markup:
    return el("figure", el("figcaption", head), *parts)
