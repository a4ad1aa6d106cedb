"""Which scopes of a unit declare a name: those of several declare signals of one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hdlgraph.model.flow import Declared
from hdlgraph.parsers.slang.generate_blocks import Branch
from hdlgraph.parsers.slang.places import NodeText, is_node

_CHOICES = ("IfGenerate", "CaseGenerate")
MOST = 20_000
"""Declarations that are kept of one unit."""


class Scopes:
    """The declarations of one unit, while it is read from its first line to its last."""

    def __init__(self, at: NodeText) -> None:
        self._at = at
        self._found: dict[str, dict[int, Declared]] = {}
        self._labels: tuple[str, ...] = ()
        self._counts = [0]

    def construct(self) -> int:
        """Returns the number of a generate construct in its scope, from 1 (clause 27.6)."""
        self._counts[-1] += 1
        return self._counts[-1]

    @contextmanager
    def block(self, node: Any, branch: Branch, label: str, number: int) -> Iterator[None]:
        """Opens the scope of a branch of a generate construct."""
        if node.kind._name_ in _CHOICES and branch[0].kind._name_ in _CHOICES:
            self._counts[-1] -= 1  # directly nested: both are one construct (clause 27.5)
            yield
            return
        labels = self._labels
        self._labels = (*labels, label or f"genblk{number}")
        self._counts.append(0)
        yield
        self._counts.pop()
        self._labels = labels

    def add(self, declarators: Iterable[Any], guard: int) -> None:
        """Notes what a declaration in the block of a generate condition declares."""
        for one in declarators:
            if is_node(one):
                self._add(one.name, guard)

    def _add(self, token: Any, guard: int) -> None:
        line, name = self._at.place(token.location)[0], token.valueText
        if line and name:
            whole = ".".join((*self._labels, name))
            found = self._found.setdefault(name, {})
            found.setdefault(guard, Declared(name, guard, whole, line))

    def several(self, header: Any) -> tuple[Declared, ...]:
        """Returns the declarations of the names that several scopes declare, ports included."""
        ports = getattr(header, "ports", None)
        for item in getattr(ports, "ports", ()) if ports is not None else ():
            token = getattr(getattr(item, "declarator", item), "name", None)
            if is_node(item) and token is not None and token.valueText in self._found:
                self._add(token, -1)
        several = (
            one for found in self._found.values() if len(found) > 1 for one in found.values()
        )
        return tuple(several)[:MOST]
