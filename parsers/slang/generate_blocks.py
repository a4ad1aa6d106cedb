"""Conditions of generate blocks, from pyslang nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hdlgraph.model import Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.text.conditions import both

Branch = tuple[Any, str]
"""A block and the condition that picks it."""


def loop_branch(node: Any, at: NodeText) -> Branch:
    """Returns the block of a `for` with its name, start and end: `for i = 0; i < N`."""
    text = at.text(node.identifier if is_node(node.identifier) else None)
    name = text or node.identifier.valueText
    return node.block, f"for {name} = {at.text(node.initialExpr)}; {at.text(node.stopExpr)}"


def if_branches(node: Any, at: NodeText) -> Iterator[Branch]:
    """Yields the arms of a chain of `else if`; each negates the conditions before it."""
    former = ""
    while True:
        condition = at.text(node.condition, limits.EXPRESSION_CHARS)
        yield node.block, both(former, condition)
        other = node.elseClause.clause if node.elseClause is not None else None
        if other is None:
            return
        negated = f"{former}!({condition})"
        if other.kind._name_ != "IfGenerate":
            yield other, negated
            return
        node, former = other, negated + " && "


def case_branches(node: Any, at: NodeText) -> Iterator[Branch]:
    """Yields the arms of a `case` with their values: `case (WIDTH) 8, 16`."""
    subject = at.text(node.condition)
    for item in node.items:
        if item.kind._name_ == "StandardCaseItem":
            values = ", ".join(at.text(e) for e in item.expressions if is_node(e))
            yield item.clause, f"case ({subject}) {values}"
        elif hasattr(item, "clause"):
            yield item.clause, f"case ({subject}) default"


def opened(branch: Branch, at: NodeText) -> tuple[Any, Scope]:
    """Returns the members of a branch, and its scope: label, condition and line."""
    block, condition = branch
    if block.kind._name_ != "GenerateBlock":
        return [block], Scope(label="", condition=condition, line=at.line(block))
    named = block.beginName or block.label
    label = named.name.valueText if named is not None else ""
    return block.members, Scope(label=label, condition=condition, line=at.line(block))
