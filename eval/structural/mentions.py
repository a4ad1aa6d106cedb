"""Lines that use parameters, functions and tasks: `who` against what slang's elaboration binds.

    python -m hdlgraph.eval.structural.mentions REPO INDEX TOP [TOP ...] [--worst N]

Asked for is each parameter, function and task that an expression or a call in a process, an
assignment or an initial value of an elaborated unit names, by the place of its declaration; right
are the lines of those expressions. Constants that slang folds while it elaborates (dimensions,
generates) are bound in no such expression, so that a further line that `who` tells counts as wrong
only where the name does not stand in the code of the line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.structural.elaborated import Elaborated, for_tops, members, say
from hdlgraph.project import Project
from hdlgraph.query.design.uses import code_of

Place = tuple[str, int]


def asked(design: Elaborated) -> dict[tuple[str, str, int], set[Place]]:
    """Returns the places that use each name, by its (name, path, line)."""
    from pyslang import ast

    found: dict[tuple[str, str, int], set[Place]] = defaultdict(set)

    def on(one: Any) -> None:
        symbol: Any = None
        if isinstance(one, ast.NamedValueExpression):
            symbol = one.symbol if isinstance(one.symbol, ast.ParameterSymbol) else None
        elif isinstance(one, ast.CallExpression):
            symbol = one.subroutine if isinstance(one.subroutine, ast.SubroutineSymbol) else None
        if symbol is None or not symbol.name:
            return
        path, line = design.places.of(symbol.location)[:2]
        place = design.places.of(one.sourceRange.start)[:2]
        if path and place[0] and place != (path, line):
            found[symbol.name, path, line].add(place)

    for path, _, body in design.bodies():
        for one in members(body) if path else ():
            if not isinstance(one, ast.InstanceSymbol):
                one.visit(on)
    return found


def measure(root: Path, index: Path, top: str, worst: int = 0) -> None:
    """Prints how many of the lines of one top `who` lists, and how many of its own have the name.

    Args:
        root: of the repository.
        index: its folder.
        top: the unit at the top.
        worst: how many lines that are missed or wrong are printed.
    """
    project = Project(root, index)
    design = Elaborated(project, top)
    wanted = asked(design)
    names = lines = right = stated = named = 0
    sentences: list[str] = []
    codes: dict[str, list[str]] = {}
    for (name, path, line), true in sorted(wanted.items()):
        row = next((n for n in _nodes(project, name) if n[1:] == (path, line)), None)
        if row is None:  # a genvar, which has no node
            continue
        mine = {(one["path"], one["line"]) for one in project.who(row[0], None)["users"]}
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")

        def stands(at: Place, word: re.Pattern[str] = word) -> bool:
            code = codes.setdefault(at[0], code_of(project.source_text(at[0])).split("\n"))
            return bool(word.search(code[at[1] - 1]))

        wrong = {at for at in mine if not stands(at)}
        # What a macro makes has the line of the macro, on which the name need not stand.
        true = {at for at in true if stands(at)}
        names, stated, named = names + 1, stated + len(mine), named + len(mine - wrong)
        lines, right = lines + len(true), right + len(true & mine)
        sentences += [f"wrong {name} {at[0]}:{at[1]}" for at in sorted(wrong)]
        sentences += [
            f"missed {name} ({path}:{line}) {at[0]}:{at[1]}" for at in sorted(true - mine)
        ]
    say(f"{top}: {len(design.files)} files, {design.errors} errors, {names} names")
    say(f"  lines that slang binds {lines}, told {right / max(1, lines):.4f}")
    say(f"  lines told {stated}, with the name in their code {named / max(1, stated):.4f}")
    for line_ in sentences[:worst]:
        say(f"    {line_}")


def _nodes(project: Project, name: str) -> list[tuple[str, str, int]]:
    """Returns (id, path, line) of the nodes of a name."""
    nodes = project.graph().nodes
    ids, paths, at = (nodes.column(key) for key in ("id", "path", "line"))
    return [
        (ids[row], paths[row], at[row])
        for row, one in enumerate(nodes.column("name"))
        if one.rpartition(".")[2] == name
    ]


@telling_errors
def main() -> None:
    """Runs the measurement."""
    for_tops(__doc__, measure)


if __name__ == "__main__":
    raise SystemExit(main())
