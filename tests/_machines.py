"""Random state machines as trees of tests and assignments, their text, and what they do."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

from hdlgraph.query.signals.records import Transition

STATES = ("A", "B", "C", "D")
INPUTS = ("x", "y", "z")

Tree = tuple[str, ...] | tuple[object, ...]
"""("set", value) or ("if", test, tree, tree) or ("case", {label: tree}, default tree or None)."""


def a_test(draw: random.Random) -> str:
    """Returns a test of the state, of an input, or of both."""
    state, other = draw.sample(STATES, 2)
    one = draw.choice(INPUTS)
    return draw.choice([
        one, f"!{one}", f"s == {state}", f"s != {state}", f"(s == {state})", f"{state} == s",
        f"s == {state} && {one}", f"{one} || s == {state}", f"!(s == {state})",
        f"(s == {state} || s == {other}) && {one}", f"!(s == {state} && {one})",
        f"s inside {{{state}, {other}}}", f"(s == {state}) | {one}", f"(s == {state}) & {one}",
    ])  # fmt: skip


def a_value(draw: random.Random, depth: int) -> object:
    if depth and draw.random() < 0.4:
        return (a_test(draw), a_value(draw, depth - 1), a_value(draw, depth - 1))
    return draw.choice(STATES)


def a_tree(draw: random.Random, depth: int) -> Tree:
    kind = draw.random()
    if depth == 0 or kind < 0.2:
        return ("set", a_value(draw, 2))
    if kind < 0.6:
        return ("if", a_test(draw), a_tree(draw, depth - 1), a_tree(draw, depth - 1))
    labels = draw.sample(STATES, draw.randint(2, 4))
    arms = [(labels[:2], a_tree(draw, depth - 1))]
    arms += [([one], a_tree(draw, depth - 1)) for one in labels[2:]]
    rest = a_tree(draw, depth - 1) if draw.random() < 0.6 else None
    return ("case", arms, rest)


def value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    test, first, second = value  # type: ignore[misc]
    return f"({test}) ? {value_text(first)} : ({value_text(second)})"


def text_of(tree: Tree, rest: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields the lines of a tree, each with the states that no case around it names."""
    if tree[0] == "set":
        yield f"n = {value_text(tree[1])};", rest
    elif tree[0] == "if":
        yield f"if ({tree[1]}) begin", rest
        yield from text_of(tree[2], rest)  # type: ignore[arg-type]
        yield "end else begin", rest
        yield from text_of(tree[3], rest)  # type: ignore[arg-type, misc]
        yield "end", rest
    else:
        yield "case (s)", rest
        for labels, inner in tree[1]:  # type: ignore[union-attr, misc]
            yield f"{', '.join(labels)}: begin", rest  # type: ignore[has-type]
            yield from text_of(inner, rest)  # type: ignore[has-type]
            yield "end", rest
        if tree[2] is not None:
            named = {state for labels, _ in tree[1] for state in labels}  # type: ignore
            yield "default: begin", rest
            yield from text_of(tree[2], rest - named)  # type: ignore[arg-type]
            yield "end", rest
        yield "endcase", rest


def holds(test: str, at: dict[str, object]) -> bool:
    """Returns whether a condition as the language writes it holds."""
    test = re.sub(r"s inside \{([^}]*)\}", r"(s in (\1))", test)
    test = test.replace("||", " or ").replace("&&", " and ")
    test = re.sub(r"!(?!=)", " 1-", test)  # binds as tight as `!`, which `not` does not
    return bool(eval(test, {"__builtins__": {}}, at))


def value_at(value: object, at: dict[str, object]) -> str:
    while not isinstance(value, str):
        test, first, second = value  # type: ignore[misc]
        value = first if holds(test, at) else second
    return value


def next_of(tree: Tree, at: dict[str, object]) -> str:
    """Returns the state that follows, "" where it stays."""
    if tree[0] == "set":
        return value_at(tree[1], at)
    if tree[0] == "if":
        return next_of(tree[2] if holds(tree[1], at) else tree[3], at)  # type: ignore
    for labels, inner in tree[1]:  # type: ignore[union-attr, misc]
        if at["s"] in labels:  # type: ignore[has-type]
            return next_of(inner, at)  # type: ignore[has-type]
    return next_of(tree[2], at) if tree[2] is not None else ""  # type: ignore[arg-type]


def situations() -> Iterator[dict[str, object]]:
    for state in STATES:
        for bits in itertools.product((False, True), repeat=len(INPUTS)):
            yield {**dict(zip(STATES, STATES, strict=True)), "s": state,
                   **dict(zip(INPUTS, bits, strict=True))}  # fmt: skip


def is_from(one: Transition, state: object, rest: list[frozenset[str]]) -> bool:
    if one.source == "default":
        return state in rest[one.line - 1]
    return one.source in ("", state)
