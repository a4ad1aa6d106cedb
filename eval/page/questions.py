"""Questions one by one: ranks of every system, losses and wins, evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hdlgraph.eval.page.markup import Markup, el, grid, join
from hdlgraph.eval.scores.run_records import Judged, Placed, Reason, RunFile, SystemRun

FAR = 1_000_000
"""Stands for the rank of a file that was not ranked, when ranks are compared."""

TOP = 10


def question_table(run: RunFile, number: int) -> Markup:
    """Returns all questions with the rank of the first right file per system.

    Args:
        run: the run.
        number: its place on the page, from 0; part of the anchors.
    """
    systems = _rows(run)
    rows = []
    for index, asked in enumerate(run.asked):
        ranks = [system.questions[index].rank for system in systems]
        rows.append(
            [
                _linked(asked, number, index),
                asked.kind,
                asked.role,
                _paths(asked.relevant),
                *(_rank(rank) for rank in ranks),
            ]
        )
    head = ["question", "kind", "role", "right file"]
    tall = [el("th", el("span", system.name), scope="col", class_="tall") for system in systems]
    caption = (
        f"Rank of the first right file; – is not among the first {run.depth}. "
        "The question's id leads to its evidence."
    )
    table = grid(caption, [*head, *tall], rows, class_="ranks", sortable=True)
    return join([_filter(run, number), table])


def losses(run: RunFile, number: int) -> Markup:
    """Returns what the leader loses, then what it wins, then what nobody finds: each in full."""
    lost, won = [], []
    for index, asked in enumerate(run.asked):
        mine = _far(run.leader.questions[index].rank)
        found = [(s, _far(s.questions[index].rank)) for s in run.baselines]
        better = [s.name for s, rank in found if rank < mine]
        worse = [s.name for s, rank in found if rank > mine]
        best = min((rank for _, rank in found), default=FAR)
        first = [_linked(asked, number, index), asked.kind, _paths(asked.relevant)]
        ends = [_rank(0 if mine == FAR else mine), _rank(0 if best == FAR else best)]
        if better:
            lost.append([*first, *ends, el("td", ", ".join(better), class_="words")])
        elif mine < best and found:
            won.append([*first, *ends, el("td", ", ".join(worse), class_="words")])
    return join([_lost_table(run, lost), _won_table(run, won), _nobody(run, number)])


def evidence(run: RunFile, number: int) -> Markup:
    """Returns a folded block per question: the first files of each system, and the evidence."""
    return join(_block(run, number, index, asked) for index, asked in enumerate(run.asked))


def anchor(number: int, index: int) -> str:
    """Returns the id of a question's evidence: numbers, since its own id may be anything."""
    return f"run{number}-q{index}"


def _lost_table(run: RunFile, rows: Sequence[Sequence[Markup | str]]) -> Markup:
    name, total = run.leader.name, len(run.asked)
    head = el("h3", f"Where {name} loses")
    if not run.baselines:
        return join([head, el("p", "The run has no baseline.")])
    heading = (
        f"On {len(rows)} of {total} questions at least one baseline ranks the right file better."
    )
    counts = [f"{s.name} {sum(map(_beats, s.ranks, run.leader.ranks))}" for s in run.baselines]
    each = f"Questions that each baseline ranks better: {', '.join(counts)}."
    columns = ["question", "kind", "right file", name, "best baseline", "who is better"]
    table = grid(f"Questions on which a baseline ranks better than {name}", columns, rows)
    return join([head, el("p", heading, " ", each), table if rows else None])


def _won_table(run: RunFile, rows: Sequence[Sequence[Markup | str]]) -> Markup | None:
    if not run.baselines:
        return None
    name = run.leader.name
    heading = f"On {len(rows)} of {len(run.asked)} questions it ranks better than every baseline."
    columns = ["question", "kind", "right file", name, "best baseline", "who is worse"]
    table = grid(f"Questions on which {name} ranks better than every baseline", columns, rows)
    return join([el("h3", f"Where {name} wins"), el("p", heading), table if rows else None])


def _nobody(run: RunFile, number: int) -> Markup:
    rows = []
    for index, asked in enumerate(run.asked):
        ranks = {s.name: _far(s.questions[index].rank) for s in run.systems}
        best = min(ranks.values())
        if best > TOP:
            who = [name for name, rank in ranks.items() if rank == best]
            place = _rank(0 if best == FAR else best)
            nearest = ", ".join(who) if best < FAR else "none"
            row = [_linked(asked, number, index), asked.kind, _paths(asked.relevant)]
            rows.append([*row, place, el("td", nearest, class_="words")])
    heading = (
        f"{len(rows)} of {len(run.asked)} questions have no right file among the first {TOP} of "
        "any system."
    )
    columns = ["question", "kind", "right file", "best rank", "of"]
    table = grid(f"Questions that no system gets into the first {TOP}", columns, rows)
    return join([el("h3", "What no system finds"), el("p", heading), table if rows else None])


def _block(run: RunFile, number: int, index: int, asked: Judged) -> Markup:
    leader = run.leader.questions[index]
    ranks = ", ".join(f"{s.name} {s.questions[index].rank or '–'}" for s in _rows(run))
    right = frozenset(asked.relevant)
    equal = frozenset(asked.equivalent)
    parts = [
        el("p", f"Ranks: {ranks}", id=anchor(number, index)),
        el("p", "Right: ", _paths(asked.relevant)),
        el("p", "As good: ", _paths(asked.equivalent)) if asked.equivalent else None,
        el("h4", f"First files of {run.leader.name}"),
        _first_files(leader.top, right, equal),
    ]
    first = [p for p in leader.top[:1] if p in leader.evidence]
    first += [p for p in leader.evidence if p not in first]
    for path in first:
        mark = "right" if path in right else "as good" if path in equal else "not right"
        parts += [el("h4", f"Evidence of {run.leader.name} for ", el("code", path), f" ({mark})")]
        parts.append(_reasons(leader.evidence[path]))
    others = [(s.name, s.questions[index]) for s in run.baselines]
    parts.append(_others(others, right, equal))
    title = el("summary", el("b", asked.id), " ", asked.question)
    return el("details", title, *parts, class_="evidence")


def _others(
    places: Iterable[tuple[str, Placed]], right: frozenset[str], equal: frozenset[str]
) -> Markup | None:
    items = [
        join([el("h5", name), _first_files(place.top[:3], right, equal)]) for name, place in places
    ]
    head = el("summary", "First three files of each baseline")
    return el("details", head, *items) if items else None


def _first_files(paths: Sequence[str], right: frozenset[str], equal: frozenset[str]) -> Markup:
    items = []
    for path in paths:
        mark = " ✓ right" if path in right else " ≈ as good" if path in equal else None
        items.append(el("li", el("code", path), mark, class_="hit" if mark else None))
    return el("ol", *items) if items else el("p", "None.")


def _reasons(found: Sequence[Reason]) -> Markup:
    items = [
        el(
            "li",
            el("code", f"{reason.path}:{reason.line}" if reason.line else reason.path),
            " ",
            el("em", reason.kind),
            " ",
            reason.text,
        )
        for reason in found
    ]
    return el("ul", *items) if items else el("p", "No evidence.")


def _linked(asked: Judged, number: int, index: int) -> Markup:
    link = el("a", asked.id, href=f"#{anchor(number, index)}")
    return el("th", link, el("span", asked.question, class_="asked"), scope="row")


def _filter(run: RunFile, number: int) -> Markup:  # noqa: ARG001
    box = el("input", type="search", id=f"filter{number}", data_filter="", autocomplete="off")
    label = el("label", "Show questions with ", for_=f"filter{number}")
    # Without scripts the box would do nothing, so it is shown by the script.
    return el("p", label, box, class_="filter", hidden="hidden")


def _rank(rank: int) -> Markup:
    if not rank:
        return el("td", "–", class_="none", data_value=FAR)
    step = 1 if rank == 1 else 2 if rank <= 5 else 3 if rank <= TOP else 4
    return el("td", rank, class_=f"r{step}", data_value=rank)


def _paths(paths: Sequence[str]) -> Markup:
    # A break after each slash lets long paths wrap.
    return join([_path(path) for path in paths], "<br>")


def _path(path: str) -> Markup:
    return el("code", join([el("span", part) for part in _pieces(path)], "<wbr>"))


def _pieces(path: str) -> list[str]:
    parts = path.split("/")
    return [f"{part}/" for part in parts[:-1]] + [parts[-1]]


def _beats(rank: int, other: int) -> bool:
    return _far(rank) < _far(other)


def _far(rank: int) -> int:
    return rank or FAR


def _rows(run: RunFile) -> list[SystemRun]:
    return [run.leader, *run.baselines]
