"""Completes the facts of a unit by each other: defparams, exports to C, implicit nets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from hdlgraph.model import BIT, Defparam, Gate, Instance, Layer, Process, Routine, Signal
from hdlgraph.parsers.text.expressions import KEYWORDS

_WHOLE = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)\s{0,20}(?:=(?!=)|[,}])")
_SIMPLE = re.compile(r"[A-Za-z_][\w$]*")


def with_defparams(
    instances: Sequence[Instance], defparams: Sequence[Defparam]
) -> Sequence[Instance]:
    """Returns instances with the parameters that defparams of their own unit override."""
    values: dict[str, dict[str, str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for one in defparams:
        name, _, parameter = one.path.partition(".")
        if parameter and "." not in parameter:
            values.setdefault(name.partition("[")[0], {})[parameter] = one.value
            lines[name.partition("[")[0], parameter] = one.line
    if not values:
        return instances
    found = []
    for instance in instances:
        extra = values.get(instance.name, {})
        new = tuple(pair for pair in extra.items() if pair[0] not in dict(instance.parameters))
        bits = (BIT[Layer.SLANG],) * len(new)
        found.append(
            msgspec.structs.replace(
                instance,
                parameters=instance.parameters + new,
                override_witnesses=instance.override_witnesses + bits,
                override_lines=(
                    *_lines_of(instance),
                    *(lines[instance.name, name] for name, _ in new),
                ),
            )
            if new
            else instance
        )
    return found


def _lines_of(instance: Instance) -> tuple[int, ...]:
    """Returns the line of each override of an instance, 0 where it is not known."""
    missing = len(instance.parameters) - len(instance.override_lines)
    return instance.override_lines + (0,) * missing


def with_exports(
    routines: Sequence[Routine], exports: Sequence[tuple[str, str]]
) -> tuple[Routine, ...]:
    """Returns routines, those that C may call with their name in C."""
    names = dict(exports)
    return tuple(
        msgspec.structs.replace(one, dpi="export", foreign=names[one.name])
        if one.name in names and not one.dpi
        else one
        for one in routines
    )


class Use(NamedTuple):
    """A lone name at a port, at a gate or left of a continuous assignment."""

    name: str
    line: int
    condition: str


def implicit_nets(uses: Iterable[Use], known: Collection[str]) -> list[Signal]:
    """Returns the nets that uses declare, in the order of the first use of each.

    Args:
        uses: those of one unit.
        known: names that stand for something else.
    """
    found: dict[str, Signal] = {}
    for name, line, condition in sorted(uses, key=lambda use: use.line):
        if name not in known and name not in found:
            found[name] = Signal(name, "wire", line, condition=condition, implicit=True)
    return list(found.values())


def uses_of(
    instances: Iterable[Instance], gates: Iterable[Gate], processes: Iterable[Process]
) -> Iterator[Use]:
    """Yields the names whose use declares a net where nothing else declares them.

    Names left of an assignment are among them though a member is assigned: `assigned_whole` tells.
    """
    for instance in instances:
        for one in instance.connections:
            for name in _names(one.expr) if one.port != "*" else ():
                yield Use(name, one.line or instance.line, one.condition)
    for gate in gates:
        for terminal in gate.terminals:
            for name in _names(terminal):
                yield Use(name, gate.line, gate.condition)
    for process in processes:
        if process.kind == "assign":
            for name in process.writes:
                yield Use(name, process.line, "")


def assigned_whole(text: str) -> set[str]:
    """Returns the names that assignments write without a selection or a member of them."""
    return set(_WHOLE.findall(text))


def _names(text: str) -> list[str]:
    """Returns the names of an actual that is one name or a list of them in braces."""
    if text[:1] == "{":
        parts = [part.strip() for part in text[1:-1].split(",")]
        return [part for part in parts if _is_name(part)]
    return [text] if _is_name(text) else []


def _is_name(text: str) -> bool:
    return text not in KEYWORDS and _SIMPLE.fullmatch(text) is not None
