"""Conditions of generate blocks, from tree-sitter nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hdlgraph.model import Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.text.conditions import both

Scopes = tuple[Scope, ...]
Text = Callable[..., str]


def block_scopes(node: Any, outer: Scopes, text: Text) -> dict[int, Scopes]:
    """Returns the scopes of the blocks of a generate construct, by node id.

    Conditions are written as the slang reader writes them: the arms of a chain of `else if`
    negate those before them, the arms of a `case` name their values.
    """
    if node.type == "if_generate_construct":
        return _if_scopes(node, outer, text)
    if node.type == "loop_generate_construct":
        parts = [c for c in node.named_children if c.type != "generate_block"]
        condition = "for " + "; ".join(text(c) for c in parts[:2]).replace("genvar ", "")
        return {
            block.id: (*outer, _scope(block, condition, text))
            for block in node.named_children
            if block.type == "generate_block"
        }
    if node.type == "case_generate_construct":
        return _case_scopes(node, outer, text)
    return {}


def _if_scopes(node: Any, outer: Scopes, text: Text) -> dict[int, Scopes]:
    found: dict[int, Scopes] = {}
    former = ""
    while True:
        expression = next((c for c in node.named_children if "expression" in c.type), None)
        condition = text(expression, limits.EXPRESSION_CHARS)
        blocks = [c for c in node.named_children if c.type == "generate_block"]
        if blocks:
            found[blocks[0].id] = (*outer, _scope(blocks[0], both(former, condition), text))
        if len(blocks) < 2:
            return found
        former += f"!({condition})"
        chained = _else_if(blocks[1])
        if chained is None:
            found[blocks[1].id] = (*outer, _scope(blocks[1], former, text))
            return found
        found[chained.id] = outer  # done here: its conditions need those before it
        former = former[: limits.EXPRESSION_CHARS] + " && "
        node = chained


def _else_if(block: Any) -> Any:
    """Returns the `if` that directly follows an `else`, or None."""
    inner = block.named_children
    if block.children[0].type == "begin" or not inner:
        return None
    if inner[0].type != "conditional_generate_construct":
        return None
    chained = inner[0].named_children[0]
    return chained if chained.type == "if_generate_construct" else None


def _case_scopes(node: Any, outer: Scopes, text: Text) -> dict[int, Scopes]:
    subject = next((c for c in node.named_children if "expression" in c.type), None)
    found: dict[int, Scopes] = {}
    for item in node.named_children:
        if item.type == "case_generate_item":
            values = ", ".join(text(c) for c in item.named_children if "expression" in c.type)
            block = next((c for c in item.named_children if c.type == "generate_block"), item)
            condition = f"case ({text(subject)}) {values or 'default'}"
            found[item.id] = (*outer, _scope(block, condition, text))
    return found


def _scope(block: Any, condition: str, text: Text) -> Scope:
    label = text(block.child_by_field_name("name")) if block.type == "generate_block" else ""
    return Scope(label, condition, int(block.start_point[0]) + 1)
