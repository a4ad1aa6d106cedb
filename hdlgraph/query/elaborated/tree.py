"""The instance tree of an elaborated design: values of parameters, generates, definitions."""

from __future__ import annotations

from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.query.elaborated.view import SCHEMA, View, branches, parameter_record

MAX_NODES, MAX_DEPTH = 5000, 100


def elaborated_tree(
    view: View, top: str = "", depth: int = 3, limit: int = MAX_NODES
) -> dict[str, Any]:
    """Returns the instances below the tops, or below the instances of a unit.

    Returns:
        `{schema, config, top, tops, instances, truncated}`. An entry has its `name` (the path
        inside of its parent, with generate blocks), `unit`, `defined_at`, `parameters` with their
        values, `branches` (generate blocks, `taken` or not) and `children`; `note` is "deeper"
        where `depth` leaves children out, "external" where the repository does not define the
        unit. Below a unit there is an entry for each of its different forms, with `count`, how many
        instances have it, and `instance`, the path of the first.

    Raises:
        UsageError: the configuration has no unit called `top`.
    """
    walk = _Walk(view, min(depth, MAX_DEPTH), limit)
    if top:
        bodies = view.of_unit(top)
        if not bodies:
            raise unknown(view, top)
        tops = []
        for body in bodies:
            entry = {**walk.top(top, body), "count": view.counts[body]}
            tops.append({**entry, "instance": next(view.paths(body), "")})
    else:
        tops = [walk.top(name, body) for name, body in view.found.result.tops]
    return {
        "schema": SCHEMA,
        "config": view.found.name,
        "top": top,
        "tops": tops,
        "instances": walk.count,
        "truncated": walk.count >= limit,
    }


def unknown(view: View, name: str) -> UsageError:
    """Returns the error for a unit that a configuration does not have."""
    import difflib

    known = sorted({unit.name for unit in view.found.result.units})
    near = difflib.get_close_matches(name[:200], known, 5, 0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    tops = ", ".join(top for top, _ in view.found.result.tops)
    return UsageError(
        f"configuration {view.found.name!r} of {tops or 'nothing'} has no unit {name!r}{hint}"
    )


class _Walk:
    def __init__(self, view: View, depth: int, limit: int) -> None:
        self.view, self.depth, self.limit, self.count = view, depth, limit, 0

    def top(self, name: str, body: int) -> dict[str, Any]:
        unit = self.view.unit(body)
        entry = self._entry(name, body, unit.path, unit.line)
        self._descend(entry, body, 1)
        return entry

    def _entry(self, name: str, body: int, path: str, line: int) -> dict[str, Any]:
        unit = self.view.unit(body)
        found = self.view.bodies[body]
        return {
            "name": name,
            "unit": unit.name,
            "kind": unit.kind,
            "defined_at": f"{unit.path}:{unit.line}",
            "path": path,
            "line": line,
            "location": f"{path}:{line}",
            "parameters": [parameter_record(one) for one in found.parameters],
            "branches": branches(found),
            "children": [],
        }

    def _descend(self, entry: dict[str, Any], body: int, level: int) -> None:
        """Adds the instances of a body to an entry, within the limits of depth and number."""
        children = self.view.children(body)
        if level > self.depth:
            if children:
                entry["note"] = "deeper"
            return
        for child in children:
            if self.count >= self.limit:
                return
            self.count += 1
            if child.body < 0:
                below = {
                    "name": child.name,
                    "unit": child.unit,
                    "kind": "",
                    "defined_at": "",
                    "path": child.path,
                    "line": child.line,
                    "location": f"{child.path}:{child.line}",
                    "parameters": [],
                    "branches": [],
                    "children": [],
                    "note": "external",
                }
            else:
                below = self._entry(child.name, child.body, child.path, child.line)
                self._descend(below, child.body, level + 1)
            entry["children"].append(below)
