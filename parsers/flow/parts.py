"""Parts of an assignment of concatenations: which of the right goes to which of the left."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.parsers.slang.places import NodeText, is_node

_PLAIN = re.compile(r"\b(?:logic|reg|bit|wire|tri|var|unsigned|signed)\b|\s+")
"""What two declarations of one width may differ in."""


class Shapes:
    """The packed types of a unit's ports and signals, read when the first one is asked for.

    Args:
        at: the text of the tree.
        unit: the unit's node.
    """

    def __init__(self, at: NodeText, unit: Any) -> None:
        self._at, self._unit = at, unit
        self._known: dict[str, str | None] | None = None

    def of(self, name: str) -> str | None:
        """Returns what is left of a type beside its keywords, "" for one bit, None if unknown.

        Two names with the same text are of one width. A name that is declared twice, an array and
        what is declared within a block are unknown.
        """
        if self._known is None:
            self._known = {}
            self._read()
        return self._known.get(name)

    def pairs(self, left: Any, right: Any) -> list[tuple[Any, Any]]:
        """Returns (left, right) of two concatenations of names, each pair of one width.

        It is [] where they are none, or a width is unknown.
        """
        sides = [_names(one) for one in (left, right)]
        if not sides[0] or len(sides[0]) != len(sides[1]):
            return []
        found = list(zip(*sides, strict=True))
        shapes = [tuple(self.of(one.identifier.valueText) for one in pair) for pair in found]
        return found if all(a is not None and a == b for a, b in shapes) else []

    def _read(self) -> None:
        header = getattr(self._unit, "header", None)
        ports = getattr(getattr(header, "ports", None), "ports", None)
        former = ""
        for port in ports or ():
            if is_node(port) and port.kind._name_ == "ImplicitAnsiPort":
                kind = getattr(port.header, "dataType", None)
                text = self._text(kind) if kind is not None else ""
                token = getattr(port.header, "direction", None)
                follows = not text and not (token and token.valueText)
                former = former if follows else text
                self._add(port.declarator, former)
        for node in self._unit.members:
            kind = node.kind._name_ if is_node(node) else ""
            if kind in ("DataDeclaration", "NetDeclaration"):
                self._all(node.declarators, self._text(node.type))
            elif kind == "PortDeclaration":
                self._all(node.declarators, self._text(getattr(node.header, "dataType", None)))

    def _all(self, declarators: Any, text: str) -> None:
        for one in declarators:
            if is_node(one):
                self._add(one, text)

    def _add(self, declarator: Any, text: str) -> None:
        name = declarator.name.valueText
        assert self._known is not None
        is_array = any(is_node(one) for one in declarator.dimensions)
        known = self._known.get(name, text)
        self._known[name] = text if known == text and not is_array else None

    def _text(self, node: Any) -> str:
        return _PLAIN.sub("", self._at.text(node)) if node is not None else ""


def _names(node: Any) -> list[Any]:
    """Returns the names that a concatenation has and nothing else, [] for other expressions."""
    if node.kind._name_ != "ConcatenationExpression":
        return []
    parts = [one for one in node.expressions if is_node(one)]
    return parts if all(one.kind._name_ == "IdentifierName" for one in parts) else []
