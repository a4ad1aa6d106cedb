"""Answers who uses a unit, what is in it, and what drives its ports, from the design graph.

Each fact is cited by the line that states it, and left uncited where that line has changed since
it was indexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.model.kinds import entity
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.described import add_body, described
from hdlgraph.query.answer.facts.ends import add_ends, add_within, meant_ports, owned
from hdlgraph.query.answer.facts.meanings import add_fields, add_meanings
from hdlgraph.query.answer.facts.page import FactPage, quoted_files, without
from hdlgraph.query.answer.facts.settings import add_settings
from hdlgraph.query.answer.facts.users import (
    WHOLE,
    add_users,
    asked_terms,
    defined,
    in_words,
    last,
    scope_of,
)
from hdlgraph.query.answer.facts.uses import add_uses
from hdlgraph.query.answer.noted import exact
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.design.names import is_unit, matching
from hdlgraph.query.design.show import show, who
from hdlgraph.query.design.tree import tree
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.query.question.analyse import identifiers
from hdlgraph.query.question.relation import (
    Relation,
    RelationQuestion,
    asks_ends,
    asks_users,
)
from hdlgraph.results import Answer, SearchResult
from hdlgraph.words import terms

LINES = 30  # facts of one answer
SIGNALS = 3  # of which the ends are told
FILES = 2  # of an answer, in which quoted names are looked up
CHIEF = 2  # aims of a question that decide what is added
PARAMETERS = 4  # of a unit, of which the values of instances are told
FIELDS = 6  # lines of a package that give or check a value
MEANINGS = 36  # lines of definitions, where what is asked for depends on them
CONSTANTS = 6  # the same elsewhere
OPENED = frozenset({Aim.INTERFACE, Aim.CONFIGURE, Aim.RESET})
PLACES = 12  # parts of a unit that a question for users names beside
MEANT = frozenset({NodeKind.TYPE.value, NodeKind.MACRO.value, NodeKind.FILE.value})
"""Kinds beside units whose users may be asked for by name alone."""
_KINDS = frozenset(
    "the a an module unit block core ip component modules instance instances".split()
)
_USED = re.compile(
    r"\b(?:instantiat(?:e|es|ing)|uses?|contains?|wraps?|includes?|asks?|calls?"
    r"|rel(?:y|ies) on|depends? on|employs?|consults?|shares?|goes? through|keep .{1,20} in)\s+"
    r"([^,;?.]{1,80}?)(?=\s+(?:in|inside|from|for|and|with|within|as|to|or|when|on|by)\b|[,;?.]|$)"
    r"|\bwhere (?:is|are) (.{1,60}?) (?:instantiated|used|included)\b",
    re.I,
)
_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*=(?!=)")
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
    page = FactPage(read_text, asked_terms(question), scope_of(question), _moved(result))
    writers = {
        Relation.USERS: lambda: add_users(page, graph, name),
        Relation.PARTS: lambda: _parts(page, graph, name),
        Relation.DRIVERS: lambda: _drivers(page, graph, name, asked.port),
    }[asked.relation]()
    if not writers:
        return None
    known = exact(result, page.text)
    return Answer(question, page.text, tuple(page.citations), known, notes=(NOTE,))


def with_facts(
    answer: Answer, graph: Graph, read_text: Callable[[str], str], question: str = ""
) -> Answer:
    """Returns a quoted answer with what the design graph and other files add to it.

    Before it come the users of a unit and the ends of a signal, where these are asked for; after
    it the values that instances set, and the constants and types that the quoted lines name.
    """
    moved = _moved(answer.result)
    page = FactPage(read_text, asked_terms(question), scope_of(question), moved)
    page.citations = list(answer.citations)
    aims = aims_of(question)
    if asks_users(question) or asks_ends(question):
        _before(page, graph, question, answer)
    quoted_text = without(answer.text, page.shown) if page.lines else answer.text
    page.known(quoted_text)
    if page.lines:
        page.add()
    page.lines += quoted_text.split("\n")
    files = quoted_files(answer.text)[:FILES]
    if Aim.CONFIGURE in aims[:CHIEF] and not asks_users(question):
        _settings(page, graph, files)
    if Aim.CONFIGURE in aims:
        add_uses(page, graph, question)
    own = bool(OPENED.intersection(aims[:CHIEF]))
    add_meanings(page, graph, files, MEANINGS if own else CONSTANTS, Aim.INTERFACE in aims)
    page.drop_unused()
    return msgspec.structs.replace(answer, text=page.text, citations=tuple(page.citations))


def _moved(result: SearchResult) -> set[str]:
    """Returns the files that changed since they were indexed."""
    return {*result.stale.changed, *result.stale.removed}


def _before(page: FactPage, graph: Graph, question: str, answer: Answer) -> None:
    """Adds who uses the unit that is asked of, and the ends of the signals that are named.

    Of another unit that the question names is told what is in it. Where one unit alone uses
    what is asked of, that one's users follow.
    """
    words = identifiers(question)
    units = [n for one in words if (n := _exact_unit(graph, one))]
    signals = [one for one in words if one not in units and owned(graph, one)]
    for name in signals[:SIGNALS]:
        add_ends(page, graph, name, units)
    for path in quoted_files(answer.text)[:1] if asks_ends(question) and not signals else ():
        for name, line in meant_ports(page, path, question)[:SIGNALS]:
            add_within(page, path, name, line)
    if not asks_users(question) or (page.lines and not units):
        return
    named = list(dict.fromkeys([*_object(graph, question), *units]))
    wanted = named[:1]
    if not named and not _OF_A_NAME.search(question):
        wanted = described(graph, answer, " ".join(_phrases(question)))
    for name in wanted:
        users = [one for one in who(graph, name)["users"] if one["kind"] == "INSTANTIATES"]
        if not users:
            continue
        page.add()
        add_users(page, graph, name, whole=len(signals) > 1 if signals else WHOLE)
        parents = {user["user_name"] for user in users}
        if len(parents) == 1 and not named:
            page.add()
            add_users(page, graph, last(parents.pop()), whole=0)
        add_body(page, graph, answer, name)
    for name in [one for one in named[1:2] if one not in wanted]:
        page.add()
        _parts(page, graph, name, most=PLACES)


def _phrases(question: str) -> list[str]:
    """Returns what a question calls the things whose users it asks for."""
    return [" ".join(one).strip() for one in _USED.findall(question)]


def _object(graph: Graph, question: str) -> list[str]:
    """Returns the unit whose users are asked for, where one word names it; else nothing."""
    found = []
    for phrase in _phrases(question):
        words = [word for word in re.findall(r"[\w$]+", phrase) if word.lower() not in _KINDS]
        if len(words) == 1 and len(words[0]) > 2 and (name := _exact_unit(graph, words[0])):
            found.append(name)
    return found


def _settings(page: FactPage, graph: Graph, files: Sequence[str]) -> None:
    """Adds what instances set the quoted parameters to, and what packages say of these values."""
    values: list[str] = []
    for path in files[:2]:
        outline = page.outline(path)
        for unit in outline.named("unit"):
            names = [name for one in unit.walk() if one.kind in ("parameters", "declaration")
                     for name in _parameters(page, path, one)]  # fmt: skip
            if names and not values and _exact_unit(graph, unit.name):
                values = add_settings(page, graph, unit.name, _asked(page, names))
    add_fields(page, graph, values, FIELDS)


def _asked(page: FactPage, names: Sequence[str]) -> list[str]:
    """Returns the parameters whose names have most words of the question, the first ones else."""
    has = {name: len(page.terms & set(terms(name))) for name in names}
    most = max(has.values(), default=0)
    return [name for name, count in has.items() if count == most][:PARAMETERS]


def _parameters(page: FactPage, path: str, one: Statement) -> list[str]:
    """Returns the parameters that stand in the shown lines of a declaration."""
    lines = page.source(path).lines
    found = []
    for number in range(one.line, one.end_line + 1):
        code = lines[number - 1].partition("//")[0]
        is_one = one.kind == "parameters" or one.word == "parameter"
        named = _PARAMETER.search(code) if is_one and (path, number) in page.shown else None
        found += [named[1]] if named else []
    return found


def _exact_unit(graph: Graph, name: str) -> str:
    """Returns the name where a unit is called so, else ""."""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    found = matching(graph, name)
    return next((name for row in found if is_unit(kinds[row]) and names[row] == name), "")


def unit_called(graph: Graph, name: str) -> str:
    """Returns the name of the unit, type or macro that is meant; "" where nothing is called so.

    A file stands for its first unit.
    """
    rows = matching(graph, name)
    if not rows:
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


def _parts(page: FactPage, graph: Graph, name: str, most: int = LINES) -> bool:
    """Adds what a unit instantiates; False where nothing has that name."""
    try:
        tops = tree(graph, name, depth=1)["tops"]
    except UsageError:
        return False
    for top in tops[:2]:
        defined(page, [top])
        children = [one for one in top["children"] if one["path"] == top["path"]]
        if not children:
            page.add(f"{name} instantiates nothing.")
            continue
        page.add(f"{name} instantiates {len(children)}:")
        for one in children[:most]:
            unit = one["unit"]
            if not unit:
                continue
            label = last(one["name"])
            text = f"- {name} instantiates {unit} as {label}"
            page.fact(text, (unit, label), one["path"], one["line"])
            if one["condition"]:
                page.add(f"    {in_words(one['condition'])}")
        if len(children) > most:
            page.add(f"- and {len(children) - most} more: `hdlgraph tree {name}` lists all")
    return True


def _drivers(page: FactPage, graph: Graph, name: str, port: str) -> bool:
    """Adds a port's declaration and its connections; False where there is no such port."""
    try:
        found = show(graph, f"{name}.{port}")["definitions"]
    except UsageError:
        return False
    found = [one for one in found if one["kind"] in ("port", "signal")]
    if not found:
        return False
    for one in found[:2]:
        source = page.source(one["path"])
        page.code(one["path"], source, [one["line"]])
        lines: dict[tuple[str, int], None] = {}
        driving = [edge for edge in one["connections"] if "from" in edge] or one["connections"]
        for edge in sorted(driving, key=lambda edge: not of_design(edge["path"])):
            lines.setdefault((edge["path"], edge["line"]))
        page.add("Connected in:" if lines else "Nothing connects to it.")
        for path, line in list(lines)[: LINES // 2]:
            page.code(path, page.source(path), [line])
        if one["detail"].startswith("output"):
            _assigned(page, source, one["path"], port, one["line"])
    return True


def _assigned(page: FactPage, source: SourceText, path: str, port: str, line: int) -> None:
    found = page.outline(path, line).assigning(port)
    lines = [n for one in found for n in range(one.line, min(one.end_line, one.line + 3) + 1)]
    if lines:
        page.add("Assigned in:")
        page.code(path, source, lines[: LINES // 2])
