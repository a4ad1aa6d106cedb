"""What a macro declares: the line of its body that does so, for all places that expand it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location, NodeKind

MACRO, TYPE = NodeKind.MACRO.value, NodeKind.TYPE.value
KINDS = frozenset(
    kind.value
    for kind in (
        *(NodeKind.TYPE, NodeKind.PARAMETER, NodeKind.SIGNAL, NodeKind.PORT),
        *(NodeKind.FUNCTION, NodeKind.TASK, NodeKind.INSTANCE),
    )
)
"""Kinds of what the body of a macro may declare."""
FOLDED = frozenset(
    kind.value for kind in (NodeKind.TYPE, NodeKind.PARAMETER, NodeKind.FUNCTION, NodeKind.TASK)
)
"""Those that are listed as one: a signal of each unit is another one."""
DEEP, CALLS, LONG = 4, 40, 2000
"""Macros in each other, calls in a body, and lines of a body, that are looked at."""
LISTED = 8
"""Expansions that are listed, all being counted."""
_CALL = re.compile(r"`([A-Za-z_][\w$]*)")
JOINED, MOST = ("users", "overrides"), 200
"""Lists of a definition that are joined where its expansions are listed as one, up to so many."""


class Expansions:
    """Finds what in a design comes from the bodies of macros."""

    def __init__(self, graph: Graph, text: Callable[[str], str]) -> None:
        self._graph, self._text = graph, text
        self._lines: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str, str], tuple[int, int] | None] = {}

    def macro_of(self, kind: str, name: str, path: str, line: int) -> dict[str, Any] | None:
        """Returns the macro whose body declares a name at a line, None where the line does.

        Args:
            kind: the kind of what is declared.
            name: its last name.
            path: the file of the declaration.
            line: its line, from 1.
        """
        lines = self._of(path)
        if kind not in KINDS or not 0 < line <= len(lines):
            return None
        text = lines[line - 1].partition("//")[0]
        if "`" not in text or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
            return None
        for macro in _CALL.findall(text)[:CALLS]:
            if (found := self._declaring(macro, kind, name, DEEP)) is not None:
                row, at = found
                nodes = self._graph.nodes
                where = nodes.column("path")[row]
                return {
                    "id": nodes.column("id")[row],
                    "name": nodes.column("name")[row],
                    "path": where,
                    "line": at,
                    "location": str(Location(where, at)),
                }
        return None

    def _declaring(self, macro: str, kind: str, name: str, deep: int) -> tuple[int, int] | None:
        """Returns the row of the macro that declares a name, and the line of its body."""
        key = (macro, kind, name)
        if key not in self._found:
            self._found[key] = None  # a macro in itself leads nowhere
            self._found[key] = self._search(macro, kind, name, deep)
        return self._found[key]

    def _search(self, macro: str, kind: str, name: str, deep: int) -> tuple[int, int] | None:
        kinds, names = self._graph.nodes.column("kind"), self._graph.nodes.column("name")
        paths, starts = self._graph.nodes.column("path"), self._graph.nodes.column("line")
        inner: dict[str, None] = {}
        for row in self._graph.ending(macro):
            if kinds[row] != MACRO or names[row] != macro or not paths[row]:
                continue
            body = self._body(paths[row], starts[row])
            if (at := _declared(body, kind, name)) is not None:
                return row, starts[row] + at
            inner |= dict.fromkeys(one for line in body[:] for one in _CALL.findall(line))
        inner.pop(macro, None)
        for one in list(inner)[:CALLS] if deep else ():
            if (found := self._declaring(one, kind, name, deep - 1)) is not None:
                return found
        return None

    def _body(self, path: str, line: int) -> list[str]:
        """Returns the lines of a macro from its `define on."""
        lines, last = self._of(path), line
        while last < len(lines) and last < line + LONG and lines[last - 1].rstrip().endswith("\\"):
            last += 1
        return lines[line - 1 : last]

    def _of(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = self._text(path).splitlines()
        return self._lines[path]


def _declared(body: list[str], kind: str, name: str) -> int | None:
    """Returns the index of the line of a body that declares a name, None where none names it."""
    word = rf"(?<![\w$`]){re.escape(name)}(?![\w$`])"
    ends = re.compile(rf"\}}\s*{word}|typedef\b.*{word}\s*;" if kind == TYPE else rf"{word}\s*=")
    named = [at for at, line in enumerate(body) if re.search(word, line)]
    if not named:
        return None
    return next((at for at in named if ends.search(body[at])), named[0])


def folded(
    found: list[dict[str, Any]], graph: Graph, text: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Returns definitions of a name; those of one line of a macro as one, the first of them.

    Each that a macro declares has the `macro`, whose place is the line of its body; one that may
    stand for several has the first `expansions` and their number.
    """
    known = Expansions(graph, text)
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    records = []
    for one in found:
        last = one["name"].rpartition(".")[2]
        macro = known.macro_of(one["kind"], last, one["path"], one["line"])
        if macro is None or one["kind"] not in FOLDED:
            records.append({**one, "macro": macro} if macro else one)
            continue
        key = one["kind"], last, macro["location"]
        if key not in first:
            first[key] = {**one, "macro": macro, "expansions": [], "n_expansions": 0}
            records.append(first[key])
        else:
            for part in JOINED:
                if part in first[key]:
                    first[key][part] = [*first[key][part], *one[part]][:MOST]
        same = first[key]
        same["n_expansions"] += 1
        if len(same["expansions"]) < LISTED:
            same["expansions"].append(one["location"])
    return records
