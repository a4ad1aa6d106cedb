"""Answers who uses a unit, what is in it, and what drives its ports, from the design graph.

Each fact is cited by the line that states it, and left uncited where that line has changed since
it was indexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.model.kinds import entity
from hdlgraph.parsers.text.outline import kept_outline
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.design.names import find, is_unit
from hdlgraph.query.design.show import show, who
from hdlgraph.query.design.tree import tree
from hdlgraph.query.question.analyse import identifiers
from hdlgraph.query.question.relation import Relation, RelationQuestion
from hdlgraph.results import Answer, SearchResult

LINES = 30  # facts of one answer
CHAIN = 2  # units that are followed upwards where each has one user
PLACES = 12  # parts of a unit that a question for users names beside
MEANT = frozenset({NodeKind.TYPE.value, NodeKind.MACRO.value, NodeKind.FILE.value})
"""Kinds beside units whose users may be asked for by name alone."""
_OF_A_NAME = re.compile(r"\bwhere (?:is|are) .{1,80} used\b", re.I)
"""Asks for the lines with a name, which may be that of a parameter or a signal."""
NOTE = "answered from the design graph; `hdlgraph who`, `tree` and `show` tell more"


def relation_answer(
    question: str,
    asked: RelationQuestion,
    graph: Graph,
    result: SearchResult,
    read_text: Callable[[str], str],
) -> Answer | None:
    """Returns the answer to a question for a relation, None where its name is none of the graph.

    Args:
        question: as asked.
        asked: the relation and the name.
        graph: the design graph.
        result: what search found for the question.
        read_text: gives a file's text.
    """
    name = unit_called(graph, asked.name)
    if not name:
        return None
    page = _Facts(read_text)
    told = {
        Relation.USERS: lambda: _users(page, graph, name),
        Relation.PARTS: lambda: _parts(page, graph, name),
        Relation.DRIVERS: lambda: _drivers(page, graph, name, asked.port),
    }[asked.relation]()
    if not told:
        return None
    return Answer(question, page.text, tuple(page.citations), result, notes=(NOTE,))


def with_users(
    answer: Answer, graph: Graph, read_text: Callable[[str], str], question: str = ""
) -> Answer:
    """Returns an answer that begins with who instantiates the unit that is asked of.

    It is the first unit that the question names, else that of the first file told of; of another
    unit that it names, what is in it. Where one unit alone uses it, that one's users follow.
    """
    page = _Facts(read_text)
    page.citations = list(answer.citations)
    named = [n for one in identifiers(question) if (n := _exact_unit(graph, one))]
    told = re.findall(r"^(?:Most likely|Also) .*, module ([\w$]+):$", answer.text, re.M)
    units = list(dict.fromkeys(named or ([] if _OF_A_NAME.search(question) else told)))
    wanted = units[:1]
    for name in wanted:
        users = [one for one in who(graph, name)["users"] if one["kind"] == "INSTANTIATES"]
        if not users:
            continue
        if page.lines:
            page.add()
        _users(page, graph, name)
        if len({one["user_name"] for one in users}) == 1 and len(wanted) < CHAIN and not named:
            wanted.append(_last(users[0]["user_name"]))
    for name in named[1:2] if wanted != named[1:2] else []:
        page.add()
        _parts(page, graph, name, most=PLACES)
    if not page.lines:
        return answer
    text = f"{page.text}\n\n{answer.text}"
    return msgspec.structs.replace(answer, text=text, citations=tuple(page.citations))


def _exact_unit(graph: Graph, name: str) -> str:
    """Returns the name where a unit is called so, else ""."""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    try:
        return next((name for row in find(graph, name) if is_unit(kinds[row])
                     and names[row] == name), "")  # fmt: skip
    except UsageError:
        return ""


def unit_called(graph: Graph, name: str) -> str:
    """Returns the name of the unit, type or macro that is meant; "" where nothing is called so.

    A file stands for its first unit.
    """
    try:
        rows = find(graph, name)
    except UsageError:
        return ""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    first = next((row for row in rows if is_unit(kinds[row])), None)
    if first is not None:
        return str(names[first])
    row = rows[0]
    if kinds[row] == NodeKind.FILE.value:
        units = show(graph, name)["definitions"][0].get("units", ())
        return str(units[0]["name"]) if units else ""
    return str(names[row]) if kinds[row] in MEANT and entity(kinds[row]).is_named else ""


class _Facts(Page):
    """An answer of facts, each cited if its line still says so."""

    def __init__(self, read_text: Callable[[str], str]) -> None:
        super().__init__()
        self._read = read_text

    def fact(self, text: str, names: Iterable[str], path: str, line: int) -> None:
        """Adds a sentence, cited where the statement on a line has all its names."""
        first, last = self._stands(tuple(names), path, line)
        if first:
            self.state(text, path, first, last)
        else:
            self.add(f"{text} (it no longer stands on line {line} of {path})")

    def _stands(self, names: tuple[str, ...], path: str, line: int) -> tuple[int, int]:
        """Returns the first and last line on which the names stand, (0, 0) where they do not.

        They may lie on any line of the instance that the line belongs to.
        """
        source = SourceText(self.text_of(path))
        if line > len(source.lines):
            return 0, 0
        first = last = line
        if not self._on(names, source.lines[line - 1 : line]):
            whole = kept_outline(source.text).block(line)
            if whole is None or whole.kind != "instance":
                return 0, 0
            first = whole.line
            last = next(
                (n for n in range(first, whole.end_line + 1)
                 if self._on(names, source.lines[first - 1 : n])), 0
            )  # fmt: skip
        return (first, last) if last else (0, 0)

    @staticmethod
    def _on(names: Iterable[str], lines: Iterable[str]) -> bool:
        words = {word for line in lines for word in re.findall(r"[\w$]+", line)}
        return {part for name in names for part in re.findall(r"[\w$]+", name)} <= words

    def text_of(self, path: str) -> str:
        """Returns the text of a file, "" where it cannot be read."""
        return self._read(path)


def _users(page: _Facts, graph: Graph, name: str, most: int = LINES) -> bool:
    found = who(graph, name)
    _defined(page, found["targets"])
    users = [one for one in found["users"] if one["kind"] != "CONNECTS"]
    direct = [one for one in users if one["kind"] in ("INSTANTIATES", "BINDS")]
    listed = direct or users
    if not listed:
        page.add(f"Nothing in this repository uses {name}.")
        return True
    listed.sort(key=lambda one: not of_design(one["path"]))
    spots = _instances(graph, name)
    count = len(listed)
    verb = "instantiated" if direct else "used"
    page.add(f"{name} is {verb} in {count} place{'s' if count > 1 else ''}:")
    for one in listed[:most]:
        label, condition = spots.get((one["path"], one["line"]), ("", ""))
        label = label or (one["text"] if one["kind"] == "BINDS" else "")
        said = f"- {_called(one)} {one['words']} {_last(name)}" + (f" as {label}" if label else "")
        page.fact(said, filter(None, (_last(name), label)), one["path"], one["line"])
        if condition:
            page.add(f"    {_condition(condition)}")
    if count > most:
        page.add(f"- and {count - most} more: `hdlgraph who {name}` lists all")
    return True


def _instances(graph: Graph, name: str) -> dict[tuple[str, int], tuple[str, str]]:
    """Returns (path, line) -> (instance name, condition) of the instances of a unit."""
    nodes, edges = graph.nodes, graph.edges
    kinds, sources = edges.column("kind"), edges.column("source")
    found = {}
    for row in find(graph, name):
        for edge in graph.in_edges(row).tolist():
            source = sources[edge]
            if kinds[edge] == "INSTANTIATES" and nodes.column("kind")[source] == "instance":
                where = nodes.column("path")[source], nodes.column("line")[source]
                label = _last(nodes.column("name")[source])
                found[where] = (label, nodes.column("detail")[source])
    return found


def _condition(condition: str) -> str:
    """Returns in words when an instance is there, or how often: its generate branch or loop."""
    looped = re.search(r"(?:^|: )for ", condition)
    return f"once for each of: {condition}" if looped else f"only if {condition}"


def _called(user: dict[str, Any]) -> str:
    """Returns the name of a user: of a file without its folders, of others the last part."""
    name = str(user["user_name"])
    return name.rpartition("/")[2] if user["user_kind"] == NodeKind.FILE.value else _last(name)


def _last(name: str) -> str:
    return name.rpartition(".")[2] or name


def _defined(page: _Facts, targets: list[dict[str, Any]]) -> None:
    for one in targets[:3]:
        if one["path"] and is_unit(one["kind"]):
            page.fact(f"{one['kind']} {one['name']}", (one["name"],), one["path"], one["line"])


def _parts(page: _Facts, graph: Graph, name: str, most: int = LINES) -> bool:
    try:
        tops = tree(graph, name, depth=1)["tops"]
    except UsageError:
        return False
    for top in tops[:2]:
        _defined(page, [top])
        children = [one for one in top["children"] if one["path"] == top["path"]]
        if not children:
            page.add(f"{name} instantiates nothing.")
            continue
        page.add(f"{name} instantiates {len(children)}:")
        for one in children[:most]:
            unit = one["unit"]
            if not unit:
                continue
            label = _last(one["name"])
            said = f"- {name} instantiates {unit} as {label}"
            page.fact(said, (unit, label), one["path"], one["line"])
            if one["condition"]:
                page.add(f"    {_condition(one['condition'])}")
        if len(children) > most:
            page.add(f"- and {len(children) - most} more: `hdlgraph tree {name}` lists all")
    return True


def _drivers(page: _Facts, graph: Graph, name: str, port: str) -> bool:
    try:
        found = show(graph, f"{name}.{port}")["definitions"]
    except UsageError:
        return False
    found = [one for one in found if one["kind"] in ("port", "signal")]
    if not found:
        return False
    for one in found[:2]:
        source = SourceText(page.text_of(one["path"]))
        page.code(one["path"], source, [one["line"]])
        shown: dict[tuple[str, int], None] = {}
        for edge in one["connections"]:
            shown.setdefault((edge["path"], edge["line"]))
        page.add("Connected in:" if shown else "Nothing connects to it.")
        for path, line in list(shown)[: LINES // 2]:
            page.code(path, SourceText(page.text_of(path)), [line])
        if one["detail"].startswith("output"):
            _assigned(page, source, one["path"], port)
    return True


def _assigned(page: _Facts, source: SourceText, path: str, port: str) -> None:
    found = kept_outline(source.text).assigning(port)
    lines = [n for one in found for n in range(one.line, min(one.end_line, one.line + 3) + 1)]
    if lines:
        page.add("Assigned in:")
        page.code(path, source, lines[: LINES // 2])
