"""Where the text of a design uses a parameter: widths, generates, instances, statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hdlgraph.model import FileRecord, Location, Parameter, Port, Signal, Unit
from hdlgraph.query.signals.design import Design

_WORD = re.compile(r"[A-Za-z_]\w*")
DEPTH = 4
"""Levels of instances below that are followed."""
LISTED = 100
"""Uses of each kind that an answer lists; all are counted."""
_Use = tuple[str, int, str, str, set[str]]
"""Kind, line, name, text, and which of the names that are looked for stand there."""
KINDS = ("parameters", "widths", "generates", "overrides", "statements")


def written(
    records: Sequence[FileRecord], design: Design, unit: str, name: str
) -> dict[str, Any] | None:
    """Returns the uses of a parameter in the text, None where no unit declares it.

    Followed are the parameters and types that are made of it, and those of instances below that
    get it. Each use has `unit`, `depth` (0 in the unit itself), `name`, `text`, its place, and
    `through`: what stands there instead of the parameter and depends on it, "" for itself.

    Returns:
        `counts` by kind and a list for each: `parameters` whose default has it, `widths` of ports,
        signals and parameters, `generates` that depend on it, `overrides` that pass it to an
        instance, and `statements` that read it.
    """
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    units = {(record.path, one.name, one.line): one for record in records for one in record.units}
    waiting = [
        (path, one, name, 0)
        for (path, of, _), one in units.items()
        if of == unit.rpartition("#")[2] and any(p.name == name for p in one.parameters)
    ]
    declared = bool(waiting)
    seen: set[tuple[str, str, str]] = set()
    while waiting:
        path, one, parameter, depth = waiting.pop(0)
        if (path, one.name, parameter) in seen or depth > DEPTH:
            continue
        seen.add((path, one.name, parameter))
        row = design.flows.by_id.get(f"{one.kind}:{path}#{one.name}")
        names = _made_of(one, parameter)
        uses = (*_declared(one, names), *_behaviour(design, row, names))
        for kind, entry in _entries(path, one.name, depth, uses, "" if depth else name):
            if entry not in found[kind]:
                found[kind].append(entry)
        if row is None:
            continue
        for child in design.view(row).flow.children:
            for inner, text in child.values:
                if not names & set(_WORD.findall(text)):
                    continue
                for target in design.targets(row, child)[:1]:
                    below = design.flows.units[target]
                    facts = units.get((below.path, below.name, below.line))
                    if facts is not None:
                        given = _parameter(facts, inner)
                        waiting.append((below.path, facts, given, depth + 1))
    if not declared:
        return None
    counts = {kind: len(found[kind]) for kind in KINDS}
    return {"counts": counts, **{kind: found[kind][:LISTED] for kind in KINDS}}


WORDS = {
    "overrides": "gets {}",
    "widths": "has {} in its type",
    "generates": "is there by {}",
    "statements": "reads {}",
    "parameters": "is made of {}",
}
"""What the uses of each kind are to the parameter, or to what depends on it."""


def used_below(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the uses that `written` lists as a plain list, those of the unit itself first."""
    uses = [(one["depth"], kind, one) for kind in WORDS for one in found.get(kind, ())]
    return [
        {
            "user_name": f"{one['unit']}.{one['name']}" if one["name"] else one["unit"],
            "words": _words(kind, one["through"]),
            **{key: one[key] for key in ("text", "path", "line", "location")},
        }
        for _, kind, one in sorted(uses, key=lambda use: use[0])
    ]


def _words(kind: str, through: str) -> str:
    """Returns what a use is to the parameter, or to what stands there and depends on it."""
    return WORDS[kind].format(f"{through} (depends on it)" if through else "it")


def _made_of(unit: Unit, parameter: str) -> set[str]:
    """Returns a parameter with the other parameters and types of its unit that depend on it."""
    names = {parameter}
    for _ in range(20):
        before = len(names)
        for one in unit.parameters:
            if names & set(_WORD.findall(f"{one.type} {one.default}")):
                names.add(one.name)
        for of in unit.types:
            words = _WORD.findall(" ".join((of.base, *(field.type for field in of.fields))))
            if names & set(words):
                names.add(of.name)
        if len(names) == before:
            break
    return names


def _entries(
    path: str, unit: str, depth: int, uses: Iterable[_Use], own: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the kind of each use in a unit and what is told of it, `own` being the parameter."""
    for kind, line, of, text, there in uses:
        place = {"path": path, "line": line, "location": str(Location(path, line))}
        entry = {"unit": unit, "depth": depth, "name": of, "text": text[:200], **place}
        yield kind, {**entry, "through": "" if own in there else min(there)}


def _declared(unit: Unit, names: set[str]) -> Iterator[_Use]:
    """Yields the declarations and instances that have a name."""

    def there(text: str) -> set[str]:
        return names & set(_WORD.findall(text))

    for one in unit.parameters:
        if found := there(one.default):
            yield "parameters", one.line, one.name, one.default, found
    declared: tuple[Port | Signal | Parameter, ...] = (*unit.ports, *unit.signals, *unit.parameters)
    for held in declared:
        is_told = isinstance(held, Parameter) and there(held.default)
        if not is_told and (found := there(held.type)):
            yield "widths", held.line, held.name, held.type, found
    for instance in unit.instances:
        for name, text in instance.parameters:
            if found := there(text):
                yield "overrides", instance.line, f"{instance.name}.{name}", text, found


def _behaviour(design: Design, row: int | None, names: set[str]) -> Iterator[_Use]:
    """Yields the generates and statements of a unit with a name."""
    if row is None:
        return
    flow = design.view(row).flow
    wanted = {number for number, name in enumerate(flow.names) if name in names}
    for guard in flow.guards:
        if guard.kind == "generate" and (there := names & set(_WORD.findall(guard.text))):
            yield "generates", guard.line, "", guard.text, there
    lines: dict[int, set[str]] = {}
    for block in flow.blocks:
        for step in block.steps:
            for number in wanted & set(step.reads):
                lines.setdefault(step.line, set()).add(flow.names[number])
        for guard in flow.guards[block.guards : block.guards_end]:
            for number in wanted & set(guard.reads):
                lines.setdefault(guard.line, set()).add(flow.names[number])
    for line, read in lines.items():
        yield "statements", line, "", "", read


def _parameter(unit: Unit, name: str) -> str:
    """Returns the parameter that an override means: by its name, or by its place as `#0`."""
    if not name.startswith("#"):
        return name
    named = [one.name for one in unit.parameters if one.kind != "localparam"]
    place = int(name[1:]) if name[1:].isdigit() else len(named)
    return named[place] if place < len(named) else name
