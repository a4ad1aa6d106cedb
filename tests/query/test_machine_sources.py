"""Each transition told can be taken, and all that can be taken are told."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.signals.machines.conditions import OTHER, given, read
from hdlgraph.query.signals.records import Transition

STATES = ("A", "B", "C", "D")
INPUTS = ("x", "y", "z")
MACHINES = 60

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
    test = re.sub(r"!(?!=)", " not ", test)
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


def unit_of(number: int, tree: Tree) -> list[tuple[str, frozenset[str]]]:
    """Returns the lines of a unit, each with the states that no case around it names."""
    head = f"""module m{number}(input c, input r, input x, input y, input z);
typedef enum logic [2:0] {{A, B, C, D}} t; t s, n;
always_ff @(posedge c or negedge r) if (!r) s <= A; else s <= n;
always_comb begin n = s;"""
    every = frozenset(STATES)
    lines = [(one, every) for one in head.splitlines()]
    return [*lines, *text_of(tree, every), ("end", every), ("endmodule", every)]


def situations() -> Iterator[dict[str, object]]:
    for state in STATES:
        for bits in itertools.product((False, True), repeat=len(INPUTS)):
            yield {**dict(zip(STATES, STATES, strict=True)), "s": state,
                   **dict(zip(INPUTS, bits, strict=True))}  # fmt: skip


def is_from(one: Transition, state: object, rest: list[frozenset[str]]) -> bool:
    if one.source == "default":
        return state in rest[one.line - 1]
    return one.source in ("", state)


Drawn = tuple[Project, list[Tree], list[frozenset[str]]]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    folder = tmp_path_factory.mktemp("drawn") / "all"
    folder.mkdir()
    trees = [a_tree(random.Random(number), 3) for number in range(MACHINES)]
    lines = [line for number, tree in enumerate(trees) for line in unit_of(number, tree)]
    (folder / "all.sv").write_text("\n".join(text for text, _ in lines) + "\n")
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project, trees, [rest for _, rest in lines]


def test_transitions_are_those_of_a_simulation(drawn: Drawn) -> None:
    project, trees, rest = drawn
    compared = 0
    for number, tree in enumerate(trees):
        for machine in project.machines(f"m{number}"):
            compared += machine.register == "s"
            for at in situations():
                true = next_of(tree, at)
                told = {
                    one.target
                    for one in machine.transitions
                    if is_from(one, at["s"], rest) and holds(one.condition or "True", at)
                }
                assert told == ({true} if true else set()), (number, at)
    assert compared > MACHINES // 2


def test_no_transition_is_told_that_can_never_be_taken(drawn: Drawn) -> None:
    project, trees, rest = drawn
    seen = 0
    for number, tree in enumerate(trees):
        taken = {(at["s"], next_of(tree, at)) for at in situations()}
        for machine in project.machines(f"m{number}"):
            for one in machine.transitions:
                sources = [state for state in STATES if is_from(one, state, rest)]
                possible = {(state, one.target) for state in sources} & taken
                # the same input tested twice is no business of the state
                inputs = re.findall(r"\b[xyz]\b", one.condition)
                if one.source in STATES and len(inputs) == len(set(inputs)):
                    seen += 1
                    assert possible, (number, one)
                if one.source in STATES:
                    assert not re.search(r"\bs\b", one.condition), (number, one)
    assert seen > MACHINES


def test_what_is_left_of_a_condition_in_a_state() -> None:
    known = frozenset({"IDLE", "RUN"})

    def left(text: str, state: str) -> bool | str:
        found = given(read(text, "q", known), state, known)
        return found if isinstance(found, bool) else found.text

    assert left("q == p::IDLE && (go || !(q == RUN))", "IDLE") is True
    assert left("q == IDLE && go", "IDLE") == "go"
    assert left("q == IDLE && go", "RUN") is False
    assert left("(full | (q == IDLE)) && go", "RUN") == "full && go"
    assert left("q != IDLE", OTHER) is True
    assert left("q == LATER", "IDLE") == "q == LATER"
    assert left("(q == IDLE) ? a : b", "IDLE") == "(q == IDLE) ? a : b"
    assert left("|q && other == IDLE", "IDLE") == "|q && other == IDLE"
    assert left("((q == IDLE", "IDLE") == "((q == IDLE"


CLOCKED = """module clocked(input c, input rn, input go, input stop);
typedef enum logic {IDLE, BUSY} t; t s;
always_ff @(posedge c or negedge rn)
  if (!rn) s <= IDLE;
  else case (s)
    IDLE: if (go) s <= BUSY;
    BUSY: if (stop) s <= IDLE;
    default: s <= IDLE;
  endcase
endmodule
"""
CHANGED = """module changed(input c, input rn, input go);
typedef enum logic [1:0] {IDLE, BUSY, LATE} t; t s, n; logic last;
always_ff @(posedge c or negedge rn) if (!rn) s <= IDLE; else s <= n;
always_comb begin n = s; last = go;
  case (s)
    IDLE: n = BUSY;
    BUSY: if (!(last && go)) begin last = 1'b1; if (last && go) n = LATE; end
    LATE: n = IDLE;
  endcase
end
endmodule
"""


def machines_of(folder: Path, text: str, unit: str) -> list[tuple[str, str, str]]:
    (folder / "one.sv").write_text(text)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    (machine,) = project.machines(unit)
    return [(one.source, one.target, one.condition) for one in machine.transitions]


def test_that_the_process_is_not_in_reset_is_no_condition(tmp_path: Path) -> None:
    moves = machines_of(tmp_path, CLOCKED, "clocked")
    assert moves == [("IDLE", "BUSY", "go"), ("BUSY", "IDLE", "stop"), ("default", "IDLE", "")]


def test_a_test_of_what_the_process_changes_may_come_out_otherwise(tmp_path: Path) -> None:
    assert "LATE" in [target for _, target, _ in machines_of(tmp_path, CHANGED, "changed")]
