"""What differs between two elaborations of one design."""

from __future__ import annotations

from typing import Any, NamedTuple

from hdlgraph.query.elaborated.view import MANY, View
from hdlgraph.store.design.elaborated import Body

LISTED = 200
"""Differences of each kind that an answer lists; all are counted."""


class _Pair(NamedTuple):
    """The bodies that the same instance has in both elaborations."""

    before: int
    after: int


def compare(before: View, after: View, limit: int = LISTED) -> dict[str, Any]:
    """Returns what differs, each with the path of the first instance and how many have it.

    Returns:
        `appear` and `vanish` are instances (with `below`, what lies below them), `values`
        parameters, `widths` ports and `branches` generate blocks that differ; `counts` has the
        number of each.
    """
    found = _Comparison(before, after).run()
    return {
        "instances": {"before": before.instances, "after": after.instances},
        "counts": {kind: len(listed) for kind, listed in found.items()},
        **{kind: listed[:limit] for kind, listed in found.items()},
    }


class _Comparison:
    def __init__(self, before: View, after: View) -> None:
        self.before, self.after = before, after
        self.inner: dict[_Pair, list[tuple[str, _Pair]]] = {}
        self.paths: dict[_Pair, str] = {}

    def run(self) -> dict[str, list[dict[str, Any]]]:
        tops = dict(self.after.found.result.tops)
        starts = [
            (name, _Pair(body, tops[name]))
            for name, body in self.before.found.result.tops
            if name in tops
        ]
        order = self._walk(starts)
        counts = dict.fromkeys(order, 0)
        for _, pair in starts:
            counts[pair] += 1
        for pair in order:
            for _, below in self.inner[pair]:
                counts[below] = min(MANY, counts[below] + counts[pair])
        found: dict[str, list[dict[str, Any]]] = {
            kind: [] for kind in ("appear", "vanish", "values", "widths", "branches")
        }
        for pair in order:
            self._differences(pair, counts[pair], found)
        return found

    def _walk(self, starts: list[tuple[str, _Pair]]) -> list[_Pair]:
        """Returns the pairs, each before those below it."""
        ordered: list[_Pair] = []
        stack = [(name, pair, False) for name, pair in reversed(starts)]
        while stack:
            path, pair, is_left = stack.pop()
            if is_left:
                ordered.append(pair)
                continue
            if pair in self.inner:
                continue
            self.paths[pair] = path
            self.inner[pair] = self._below(pair)
            stack.append((path, pair, True))
            stack += (
                (f"{path}.{name}", below, False) for name, below in reversed(self.inner[pair])
            )
        return ordered[::-1]

    def _below(self, pair: _Pair) -> list[tuple[str, _Pair]]:
        after = {one.name: one.body for one in self.after.children(pair.after)}
        return [
            (one.name, _Pair(one.body, after[one.name]))
            for one in self.before.children(pair.before)
            if one.body >= 0 and after.get(one.name, -1) >= 0
        ]

    def _differences(self, pair: _Pair, count: int, found: dict[str, list[dict[str, Any]]]) -> None:
        path = self.paths[pair]
        old, new = self.before.bodies[pair.before], self.after.bodies[pair.after]
        unit = self.before.unit(pair.before)
        place = {"unit": unit.name, "instance": path, "count": count}
        sides = ((self.after, new, old, "appear"), (self.before, old, new, "vanish"))
        for view, own, other, kind in sides:
            found[kind] += _only(view, own, other, place)
        for kind, changed in (
            ("values", _changed(_values(old), _values(new))),
            ("widths", _changed(_widths(old), _widths(new))),
            ("branches", _changed(_taken(old), _taken(new))),
        ):
            found[kind] += (
                {
                    **place,
                    "name": name,
                    "before": one,
                    "after": two,
                    "location": _at(old, name) or f"{unit.path}:{unit.line}",
                }
                for name, one, two in changed
            )


def _only(view: View, own: Body, other: Body, place: dict[str, Any]) -> list[dict[str, Any]]:
    known = {one.name for one in other.children}
    return [
        {
            **place,
            "instance": f"{place['instance']}.{one.name}",
            "unit": one.unit or view.unit(one.body).name,
            "below": _size(view, one.body),
            "location": f"{one.path}:{one.line}",
        }
        for one in own.children
        if one.name not in known
    ]


def _size(view: View, body: int) -> int:
    """Returns how many instances lie below one, counted as far as it matters to people."""
    total, waiting = 0, [body]
    while waiting and total < MANY:
        one = waiting.pop()
        if one >= 0:
            inner = [child.body for child in view.children(one)]
            total += len(inner)
            waiting += inner
        if total > 1_000_000:
            break
    return total


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [
        (name, value, after[name])
        for name, value in before.items()
        if name in after and after[name] != value
    ]


def _values(body: Body) -> dict[str, Any]:
    return {one.name: one.value for one in body.parameters}


def _widths(body: Body) -> dict[str, Any]:
    return {one.name: one.width for one in body.ports}


def _taken(body: Body) -> dict[str, Any]:
    return {one.name: one.taken for one in body.branches}


def _at(body: Body, name: str) -> str:
    """Returns the place of a generate block, "" where the name is that of something else."""
    found = (f"{one.path}:{one.line}" for one in body.branches if one.name == name)
    return next(found, "")
