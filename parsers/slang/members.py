"""Signals, types, routines, modports and assertions from pyslang nodes."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.model import Assertion, Modport, Routine, Signal, Type
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node

TYPE_WORDS = {"EnumType": "enum", "StructType": "struct", "UnionType": "union"}
_ASSERT_HEAD = re.compile(r"^\w+\s*:\s*\w+\s*(?:property)?\s*")


def read_signals(node: Any, kind: str, at: NodeText) -> list[Signal]:
    """Returns the signals that a declaration of type `kind` makes."""
    found = []
    for item in node.declarators:
        if not is_node(item):
            continue
        line = at.token_line(item.name)
        if line and item.name.valueText:
            dimensions = "".join(at.text(d) for d in item.dimensions)
            found.append(
                Signal(
                    name=item.name.valueText,
                    type=f"{kind} {dimensions}".strip(),
                    line=line,
                    comment=at.inventory.comments.near(line),
                )
            )
    return found


def read_type(name: Any, kind: Any, node: Any, at: NodeText) -> list[Type]:
    """Returns the type that `node` names, or nothing when it stands in another file."""
    line = at.token_line(name)
    if not line:
        return []
    start = at.line(node) or line
    word = TYPE_WORDS.get(kind.kind.name, "alias")
    members: list[str] = []
    if word == "enum":
        members = [item.name.valueText for item in kind.members if is_node(item)]
    elif word == "alias":
        members = [at.text(kind, limits.TYPE_CHARS)]
    else:
        for member in kind.members:
            members += [item.name.valueText for item in member.declarators if is_node(item)]
    comment = at.inventory.comments.of(start, line)
    end_line = max(at.end_line(node), start)
    return [Type(name.valueText, word, tuple(members), start, end_line, comment)]


def read_routine(prototype: Any, node: Any, at: NodeText) -> list[Routine]:
    """Returns the function or task of a prototype, or nothing when it is in another file."""
    line = at.line(node)
    if not line:
        return []
    return [
        Routine(
            name=at.text(prototype.name),
            kind=prototype.keyword.valueText,
            line=line,
            end_line=max(at.end_line(node), line),
            comment=at.inventory.comments.of(line),
        )
    ]


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
