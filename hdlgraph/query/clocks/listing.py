"""Crossings between clocks as they are answered: counted by pair of clocks, then listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.parsers.text.conditions import all_of
from hdlgraph.query.clocks.analysis import Analysis, clocks_outside
from hdlgraph.query.clocks.conditions import denied
from hdlgraph.query.clocks.crossings import KINDS, NONE, Crossing
from hdlgraph.query.clocks.keys import text_of
from hdlgraph.query.clocks.tree import name_of, others_told

WAY = 24
"""Nets of a way that are listed."""
UNCLOCKED = 10
"""Of so many registers one without a known clock is no matter."""
NAMES = 4
"""Registers with a search that ended early which the note names."""
_RELATIONS = ("", "muxed", "derived")
Folded = tuple[Crossing, Sequence[Crossing]]
"""A crossing with all that are the same in other instances, itself first."""
ALL = "all"
ABOUT = (
    "candidates from the text, with the default parameters of the top: a value that does not "
    "change while it is read needs no synchroniser"
)


def crossings(analysis: Analysis, kind: str, limit: int) -> dict[str, Any]:
    """Returns the crossings below a top, for `hdlgraph crossings`.

    Args:
        analysis: of the top.
        kind: one of `crossings.KINDS`, or "all".
        limit: the greatest number of crossings listed; all are counted.

    Raises:
        UsageError: there is no such kind.
    """
    if kind not in (ALL, *KINDS):
        raise UsageError(f"--kind {kind[:80]!r}: write {', '.join(KINDS)} or {ALL}")
    folded = _folded(analysis)
    safer = _Alternatives(analysis, folded)
    found = sorted(folded, key=lambda one: bool(safer.of(one[0])))
    found.sort(key=lambda one: KINDS.index(one[0].kind))
    listed = [one for one in found if kind in (ALL, one[0].kind)]
    data = analysis.data
    notes = analysis.notes() + safer.notes(found)
    if data.left_out:
        notes.append(f"{data.left_out} nets were left out: the time or the number of nets is over")
    if analysis.finder.left_out:
        notes.append(f"{analysis.finder.left_out} registers were left out: the time is over")
    notes += [*_cut(analysis), *clocks_outside(analysis.network, analysis.clocks)]
    asides = (analysis.network.aside(one.at, one.register) for one in data.registers)
    others = Counter(filter(None, asides))
    unclocked = analysis.domains.of.count(-1)
    if unclocked * UNCLOCKED > len(data.registers):
        notes.append(
            f"{unclocked} of {len(data.registers)} registers have no known clock: what crosses "
            "from or to these is not among the crossings, so their number says little; "
            "`hdlgraph clocks` shows where their clocks end"
        )
    return {
        **analysis.head(),
        "registers": len(data.registers) - others.total(),
        "others": others_told(others),
        "unclocked": unclocked,
        "cut": len(analysis.domains.cut),
        "kind": kind,
        "pairs": _pairs(analysis, found),
        "total": len(listed),
        "crossings": [_told(analysis, one, same, safer) for one, same in listed[:limit]],
        "about": ABOUT,
        "notes": notes,
    }


def _cut(analysis: Analysis) -> list[str]:
    """Returns around which registers the search ended early, [] for none."""
    cut = sorted(analysis.domains.cut)
    if not cut:
        return []
    names = ", ".join(_name(analysis, one) for one in cut[:NAMES])
    more = f" and {len(cut) - NAMES} more" if len(cut) > NAMES else ""
    return [
        f"the search ended at {analysis.limits.cone} nets around {names}{more}; registers further "
        "away are not among the crossings, and a synchroniser may not be seen"
    ]


def _folded(analysis: Analysis) -> list[Folded]:
    """Returns the crossings with those that are the same; instances of a unit count as copies."""
    network, data = analysis.network, analysis.data
    copies: dict[tuple[Any, ...], list[Crossing]] = {}
    for one in analysis.crossings:
        ends = (data.registers[one.source], data.registers[one.target])
        same = [(network.rows[end.at], end.register.key, end.register.clock) for end in ends]
        key = (*same, one.source_clock, one.target_clock, one.kind)
        copies.setdefault(key, []).append(one)

    def order(one: Crossing) -> tuple[Any, ...]:
        is_open = one.kind == NONE and bool(_conditions(analysis, one))
        relation = analysis.clocks.relation(one.source_clock, one.target_clock)
        held = data.registers[one.target]
        return (
            KINDS.index(one.kind),
            _RELATIONS.index(relation),
            is_open,
            len(one.way),
            network.unit(held.at).unit.path,
            held.register.line,
            one.target,
        )

    return [(them[0], them) for them in sorted(copies.values(), key=lambda x: order(x[0]))]


def _conditions(analysis: Analysis, one: Crossing) -> list[str]:
    """Returns the conditions of a way: generates' that nothing decides, those of other builds."""
    network, registers = analysis.network, analysis.data.registers
    found = analysis.conditions.of_way(one.source, one.target, one.way)
    ends = (registers[number] for number in (one.source, one.target))
    asides = (network.aside(end.at, end.register) for end in ends)
    return list(dict.fromkeys([*(text for _, text in found), *filter(None, asides)]))


class _Alternatives:
    """The branches in which something protects what crosses between two clocks.

    A branch of the same design without it is for a chip in which the two are one clock.
    """

    def __init__(self, analysis: Analysis, found: Sequence[Folded]) -> None:
        self._analysis = analysis
        self._kept: dict[Crossing, str] = {}
        self._protected: dict[frozenset[int], set[str]] = {}
        for one, _ in found:
            if one.kind != NONE:
                them = self._protected.setdefault(self._pair(one), set())
                at = analysis.data.registers[one.target].at
                around = (text for _, text in analysis.conditions.around(at))
                them |= {*_conditions(analysis, one), *around}

    @staticmethod
    def _pair(one: Crossing) -> frozenset[int]:
        return frozenset((one.source_clock, one.target_clock))

    def of(self, one: Crossing) -> str:
        """Returns the condition under which the same clocks are crossed safely, "" for none."""
        if one.kind != NONE:
            return ""
        if one not in self._kept:
            safe = self._protected.get(self._pair(one), set())
            opposite = map(denied, _conditions(self._analysis, one) if safe else ())
            self._kept[one] = next((text for text in opposite if text in safe), "")
        return self._kept[one]

    def notes(self, found: Sequence[Folded]) -> list[str]:
        """Returns how many crossings lie in branches without what another branch has."""
        count = sum(len(same) for one, same in found if self.of(one))
        if not count:
            return []
        return [
            f"{count} crossings with nothing seen lie in branches of a generate whose other branch "
            "has a synchroniser or FIFO between the same clocks: there these are likely one clock"
        ]


def _pairs(analysis: Analysis, found: list[Folded]) -> list[dict[str, Any]]:
    counts: dict[tuple[int, int], Counter[str]] = {}
    for one, same in found:
        pair = (one.source_clock, one.target_clock)
        counts.setdefault(pair, Counter())[one.kind] += len(same)
    roots = analysis.clocks
    told = [
        {
            "source": name_of(roots, source),
            "target": name_of(roots, target),
            "relation": roots.relation(source, target),
            **{kind: kinds[kind] for kind in KINDS},
            "total": kinds.total(),
        }
        for (source, target), kinds in counts.items()
    ]
    return sorted(
        told,
        key=lambda one: (
            _RELATIONS.index(one["relation"]), -one[NONE], -one["total"], one["source"],
            one["target"],
        ),
    )  # fmt: skip


def _told(
    analysis: Analysis, one: Crossing, same: Sequence[Crossing], others: _Alternatives
) -> dict[str, Any]:
    roots, nets, cut = analysis.clocks, analysis.data.nets, analysis.domains.cut.keys()
    names = [text_of(nets[node].key) for node in reversed(one.way)]
    return {
        "kind": one.kind,
        **_end(analysis, "source", one.source, one.source_clock),
        **_end(analysis, "target", one.target, one.target_clock),
        "relation": roots.relation(one.source_clock, one.target_clock),
        "condition": all_of(_conditions(analysis, one)),
        "alternative": others.of(one),
        "logic": one.logic,
        "cut": bool(cut & {one.target for one in same}),
        "doubt": analysis.doubts.of_way(one.target, one.way),
        "sources": one.sources,
        "targets": one.targets,
        "copies": len(same),
        "copied": [
            {"source": _name(analysis, copy.source), "target": _name(analysis, copy.target)}
            for copy in same[1:]
        ],
        "way": list(dict.fromkeys(names))[:WAY],
    }


def _name(analysis: Analysis, number: int) -> str:
    held = analysis.data.registers[number]
    return f"{analysis.network.path(held.at)}.{text_of(held.register.key)}"


def _end(analysis: Analysis, which: str, number: int, clock: int) -> dict[str, Any]:
    held, network = analysis.data.registers[number], analysis.network
    return {
        which: _name(analysis, number),
        f"{which}_location": network.location(held.at, held.register.line),
        f"{which}_clock": name_of(analysis.clocks, clock),
    }
