"""What a unit, parameter, port or signal became in an elaborated design."""

from __future__ import annotations

from itertools import islice
from typing import Any

from hdlgraph.query.elaborated.view import View, branches, parameter_record
from hdlgraph.store.design.elaborated import Body

UNITS = frozenset({"module", "interface", "program"})
MEMBERS = frozenset({"parameter", "port", "signal"})
PATHS, FORMS = 5, 50
"""Paths that are listed of a form, and forms of a unit."""


def with_elaborated(view: View, found: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer of `show`, each definition with its `elaborated` forms.

    A unit's forms have `count` (instances), `paths` (the first), `parameters`, `ports` with their
    widths, `branches` and `driven` (bits of nets by what drives them); those of a parameter, port
    or signal have what is said of it alone.
    """
    definitions = [
        {**one, "elaborated": forms} if (forms := _forms(view, one)) is not None else one
        for one in found["definitions"]
    ]
    return {**found, "config": view.found.name, "definitions": definitions}


def _forms(view: View, one: dict[str, Any]) -> list[dict[str, Any]] | None:
    if one["kind"] in UNITS:
        return [
            {**_head(view, body), **_whole(view.bodies[body])}
            for body in view.of_unit(one["name"], one["path"])[:FORMS]
        ]
    if one["kind"] in MEMBERS:
        unit, _, name = one["name"].partition(".")
        return [
            {**_head(view, body), **_member(view.bodies[body], name)}
            for body in view.of_unit(unit, one["path"])[:FORMS]
        ]
    return None


def _head(view: View, body: int) -> dict[str, Any]:
    return {"count": view.counts[body], "paths": list(islice(view.paths(body), PATHS))}


def _whole(body: Body) -> dict[str, Any]:
    return {
        "parameters": [parameter_record(one) for one in body.parameters],
        "ports": _ports(body),
        "branches": branches(body),
        "driven": _driven(body),
    }


def _member(body: Body, name: str) -> dict[str, Any]:
    return {
        "parameters": [parameter_record(one) for one in body.parameters if one.name == name],
        "ports": [one for one in _ports(body) if one["name"] == name],
        "branches": [],
        "driven": [one for one in _driven(body) if one["name"] == name],
    }


def _ports(body: Body) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "direction": one.direction, "type": one.type, "width": one.width}
        for one in body.ports
    ]


def _driven(body: Body) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "msb": one.msb,
            "lsb": one.lsb,
            "kind": one.kind,
            "path": one.path,
            "line": one.line,
            "location": f"{one.path}:{one.line}",
        }
        for one in body.driven
    ]
