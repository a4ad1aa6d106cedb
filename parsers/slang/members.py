"""Signals, types, modports and assertions from pyslang nodes."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.model import Assertion, Field, Modport, Signal, Type
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node

TYPE_WORDS = {"EnumType": "enum", "StructType": "struct", "UnionType": "union"}
RANGE = 256
"""Members that a range of an enumeration may stand for."""
MEMBERS = 4096
"""Members of one enumeration from which ranges are no longer spread out."""
_RANGE = re.compile(r"\[(\d{1,6})(?::(\d{1,6}))?\]")
_ASSERT_HEAD = re.compile(r"^\w+\s*:\s*\w+\s*(?:property)?\s*")


def read_signals(node: Any, kind: str, scope: str, at: NodeText) -> list[Signal]:
    """Returns the signals that a declaration of type `kind` in a generate block makes."""
    found = []
    for item in node.declarators:
        if not is_node(item):
            continue
        line, origin = at.place(item.name.location)
        if line and item.name.valueText:
            dimensions = "".join(at.text(d) for d in item.dimensions)
            found.append(
                Signal(
                    name=item.name.valueText,
                    type=f"{kind} {dimensions}".strip(),
                    line=line,
                    comment="" if origin else at.inventory.comments.near(line),
                    condition=at.condition(line),
                    scope=scope,
                    origin=origin,
                )
            )
    return found


def read_type(name: Any, kind: Any, node: Any, at: NodeText) -> list[Type]:
    """Returns the type that `node` names, or nothing when it stands in another file.

    Widths are not known yet: they take the constants of the whole unit.
    """
    line = at.token_line(name)
    if not line:
        return []
    start = at.line(node) or line
    word = TYPE_WORDS.get(kind.kind._name_, "alias")
    fields: list[Field] = []
    if word == "enum":
        fields = _names_of_enum(kind, at)
        base = at.text(kind.baseType, limits.TYPE_CHARS) if kind.baseType is not None else ""
    elif word != "alias":
        fields = _fields(kind, at)
        words = (kind.packed, kind.signing)
        base = " ".join(token.valueText for token in words if token and token.valueText)
    else:
        base = at.text(kind, limits.TYPE_CHARS)
        base += "".join(f" {at.text(d)}" for d in getattr(node, "dimensions", ()))
    members = [at.text(kind, limits.TYPE_CHARS)] if word == "alias" else [f.name for f in fields]
    comment = at.inventory.comments.of(start, line)
    return [
        Type(
            name=name.valueText,
            kind=word,
            members=tuple(members),
            line=start,
            end_line=max(at.end_line(node), start),
            comment=comment,
            fields=tuple(fields),
            base=base[: limits.TYPE_CHARS],
            condition=at.condition(line),
        )
    ]


def _names_of_enum(kind: Any, at: NodeText) -> list[Field]:
    near = at.inventory.comments.near
    found: list[Field] = []
    for item in kind.members:
        if is_node(item):
            line = at.token_line(item.name)
            value = at.text(item.initializer.expr) if item.initializer else ""
            value = value[: limits.EXPRESSION_CHARS]
            comment = near(line) if line else ""
            size = "".join(map(at.text, item.dimensions)) if len(found) < MEMBERS else ""
            for name in _names_of_range(item.name.valueText, size):
                found.append(Field(name, value, line, comment=comment))
                value = ""  # a value is that of the first
    return found


def _names_of_range(name: str, dimensions: str) -> list[str]:
    """Returns the members that `E[3]` or `E[2:5]` stands for (IEEE 1800, 6.19.2).

    It is the name alone where the numbers are not in the text, or stand for too many.
    """
    match = _RANGE.fullmatch("".join(dimensions.split()))
    if match is None:
        return [name]
    first, last = int(match[1]), int(match[2] or 0)
    if match[2] is None:
        first, last = 0, first - 1
    step = 1 if first <= last or match[2] is None else -1
    numbers = range(first, last + step, step)
    return [f"{name}{number}" for number in numbers] if 0 < len(numbers) <= RANGE else [name]


def _fields(kind: Any, at: NodeText) -> list[Field]:
    near = at.inventory.comments.near
    found = []
    for member in kind.members:
        of_type = at.text(member.type, limits.TYPE_CHARS)
        for item in member.declarators:
            if is_node(item):
                line = at.token_line(item.name)
                dimensions = "".join(at.text(d) for d in item.dimensions)
                written = f"{of_type} {dimensions}".strip()[: limits.TYPE_CHARS]
                comment = near(line) if line else ""
                found.append(Field(item.name.valueText, written, line, comment=comment))
    return found


def read_modports(node: Any, at: NodeText) -> list[Modport]:
    """Returns the modports of one declaration."""
    found = []
    for item in node.items:
        line = at.token_line(item.name) if is_node(item) else 0
        if line:
            ports: list[tuple[str, str]] = []
            for group in item.ports.ports:
                if is_node(group):
                    ports += _modport_ports(group, at)
            found.append(Modport(item.name.valueText, tuple(ports), line))
    return found


def _modport_ports(group: Any, at: NodeText) -> list[tuple[str, str]]:
    direction = getattr(group, "direction", None) or getattr(group, "importExport", None)
    if direction is None:
        name = getattr(group, "name", None)
        return [("clocking", name.valueText)] if name is not None else []
    found = []
    for port in group.ports:
        if is_node(port):
            prototype = getattr(port, "prototype", None)
            name = at.text(prototype.name) if prototype is not None else port.name.valueText
            found.append((direction.valueText, name))
    return found


def read_assertion(node: Any, at: NodeText) -> list[Assertion]:
    """Returns a labelled assertion; those that macros make are read from the text instead."""
    statement = node.statement
    label = statement.label.name.valueText if statement.label is not None else ""
    line = at.line(node)
    if not label or not line or at.is_macro(node):
        return []
    text = _ASSERT_HEAD.sub("", at.text(node))[: limits.EXPRESSION_CHARS]
    return [Assertion(label, statement.keyword.valueText, line, text)]


def read_property(node: Any, at: NodeText) -> list[Assertion]:
    """Returns a property or sequence declaration."""
    line = at.line(node)
    if not line:
        return []
    spec = getattr(node, "propertySpec", None)
    text = at.text(spec if spec is not None else node.seqExpr, limits.EXPRESSION_CHARS)
    return [Assertion(node.name.valueText, node.keyword.valueText, line, text)]
