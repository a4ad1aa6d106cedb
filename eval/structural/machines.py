"""State machines of an index against those that slang's elaboration of the design shows.

    python -m hdlgraph.eval.structural.machines REPO INDEX TOP [TOP ...] [--worst N]

A machine is asked for where a case statement over a variable of an enumeration assigns, in its
arms, members of the same enumeration to a variable of that type, and one arm assigns another
member than its own. Its transitions are read from
the elaborated tree: the labels of the arm to each member assigned in it, with the line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.elaborated import Elaborated, for_tops, members, say
from hdlgraph.project import Project

Move = tuple[str, str, int]
"""(state tested or "default", state assigned, line of the assignment)."""


def asked(design: Elaborated) -> dict[tuple[str, str, str], set[Move]]:
    """Returns the transitions of each machine by (path, unit, enumeration)."""
    from pyslang import ast

    found: dict[tuple[str, str, str], set[Move]] = defaultdict(set)
    for path, name, body in design.bodies():
        for one in members(body):
            if isinstance(one, ast.ProceduralBlockSymbol):
                for kind, move in _moves(design, one.body):
                    found[path, name, kind].add(move)
    return {
        key: moves
        for key, moves in found.items()
        if len({target for _, target, _ in moves}) >= 2
        and any(source not in (target, "default") for source, target, _ in moves)
    }


def _moves(design: Elaborated, node: Any) -> Iterator[tuple[str, Move]]:
    from pyslang import ast

    cases: list[Any] = []

    def on(one: Any) -> None:
        if isinstance(one, ast.CaseStatement) and _enum(one.expr):
            cases.append(one)

    node.visit(on)
    for case in cases:
        kind = _enum(case.expr)
        for item in case.items:
            labels = [name for one in item.expressions if (name := _member(one))]
            yield from _assigned(design, item.stmt, case.expr, kind, labels)
        if case.defaultCase is not None:
            yield from _assigned(design, case.defaultCase, case.expr, kind, ["default"])


def _assigned(
    design: Elaborated, node: Any, subject: Any, kind: str, labels: list[str]
) -> Iterator[tuple[str, Move]]:
    from pyslang import ast

    found: list[tuple[str, int]] = []

    def on(one: Any) -> None:
        if isinstance(one, ast.AssignmentExpression) and _enum(one.left) == kind:
            line = design.line_of(one.sourceRange.start)
            found.extend((name, line) for name in _leaves(one.right, kind))

    node.visit(on)
    for label in labels:
        cannot = set(_cut(design, node, subject, label, kind))
        for target, line in found:
            if (target, line) not in cannot:
                yield kind, (label, target, line)


def _cut(
    design: Elaborated, node: Any, subject: Any, label: str, kind: str
) -> Iterator[tuple[str, int]]:
    """Yields what an arm cannot assign in a state, as a test of the state inside says."""
    from pyslang import ast

    tests: list[tuple[Any, Any, Any]] = []

    def on(one: Any) -> None:
        if not isinstance(one, (ast.ConditionalStatement, ast.ConditionalExpression)):
            return
        if len(one.conditions) == 1:
            test = one.conditions[0].expr
            if isinstance(one, ast.ConditionalExpression):
                tests.append((test, one.left, one.right))
            else:
                tests.append((test, one.ifTrue, one.ifFalse))

    node.visit(on)
    for test, yes, no in tests:
        state = _compared(test, subject)
        never = (no if state == label else yes) if state else None
        if never is not None:
            yield from _within(design, node, never, kind)


def _compared(test: Any, subject: Any) -> str:
    """Returns the member that a test `subject == member` compares with, "" for other tests."""
    from pyslang import ast

    if not isinstance(test, ast.BinaryExpression) or test.op != ast.BinaryOperator.Equality:
        return ""
    same = getattr(_plain(test.left), "symbol", None) is getattr(_plain(subject), "symbol", 0)
    return _member(test.right) if same else ""


def _plain(node: Any) -> Any:
    while type(node).__name__ == "ConversionExpression":
        node = node.operand
    return node


def _within(design: Elaborated, node: Any, part: Any, kind: str) -> Iterator[tuple[str, int]]:
    """Yields the (member, line) that the assignments of a part, or around a value, would give."""
    from pyslang import ast

    begin, end = part.sourceRange.start.offset, part.sourceRange.end.offset
    found: list[tuple[str, int]] = []

    def on(one: Any) -> None:
        if isinstance(one, ast.AssignmentExpression) and _enum(one.left) == kind:
            line, inside = design.line_of(one.sourceRange.start), one.sourceRange
            if begin <= inside.start.offset and inside.end.offset <= end:
                found.extend((name, line) for name in _leaves(one.right, kind))
            elif inside.start.offset <= begin and end <= inside.end.offset:
                found.extend((name, line) for name in _leaves(part, kind))

    node.visit(on)
    yield from found


def _leaves(node: Any, kind: str) -> Iterator[str]:
    from pyslang import ast

    if isinstance(node, ast.ConditionalExpression):
        yield from _leaves(node.left, kind)
        yield from _leaves(node.right, kind)
    elif isinstance(node, ast.ConversionExpression):
        yield from _leaves(node.operand, kind)
    elif name := _member(node):
        yield name


def _enum(node: Any) -> str:
    """Returns the name of the enumeration that an expression is of, "" for others."""
    while type(node).__name__ == "ConversionExpression":
        node = node.operand
    if type(node).__name__ not in ("NamedValueExpression", "MemberAccessExpression"):
        return ""
    of = node.type
    return str(of) if of.isEnum else ""


def _member(node: Any) -> str:
    while type(node).__name__ == "ConversionExpression":
        node = node.operand
    symbol = getattr(node, "symbol", None)
    return str(getattr(symbol, "name", "")) if type(symbol).__name__ == "EnumValueSymbol" else ""


def measure(root: Path, index: Path, top: str, worst: int = 0) -> None:
    """Prints how many machines and transitions of one top the index has."""
    project = Project(root, index)
    design = Elaborated(project, top)
    wanted = asked(design)
    ids = project._signals().flows.by_id
    found = moves = right = extra = 0
    rows: list[str] = []
    for (path, name, kind), true in sorted(wanted.items()):
        unit = next((one for one in ids if one.endswith(f":{path}#{name}")), "")
        mine: set[Move] = set()
        for machine in project.machines(unit) if unit else ():
            mine |= {(one.source, one.target, one.line) for one in machine.transitions}
        hit = true & mine
        found += bool(hit)
        moves += len(true)
        right += len(hit)
        lines = {line for _, _, line in true}
        wrong = {one for one in mine if one[2] in lines} - true
        extra += len(wrong)
        if not hit:
            rows.append(f"no machine: {name} {kind[:80]} {path}")
        rows += [f"missed {name} {one} {path}" for one in sorted(true - mine)]
        rows += [f"extra {name} {one} {path}" for one in sorted(wrong)]
    say(f"{top}: {len(design.files)} files, {design.errors} errors")
    say(f"  machines {found} of {len(wanted)}")
    say(f"  transitions {moves}, recall {right / max(1, moves):.4f}, "
          f"precision {right / max(1, right + extra):.4f}")  # fmt: skip
    for line in rows[:worst]:
        say(f"    {line}")


@telling_errors
def main() -> None:
    """Runs the measurement."""
    for_tops(__doc__, measure)


if __name__ == "__main__":
    raise SystemExit(main())
