"""Answers who creates, starts, replaces or connects the testbench class that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.model.kinds import EdgeKind
from hdlgraph.query.answer.direct.benches.lines import Statement, add_statements, words_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain, unit_at
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.verification.components import connections
from hdlgraph.query.verification.find import Verification
from hdlgraph.query.verification.library import Class, Placed
from hdlgraph.query.verification.links import started_class
from hdlgraph.results import SearchResult

_KIND = (
    r"(?:class(?:es)?|components?|(?:virtual )?sequences?|tests?|agents?|env(?:ironment)?s?"
    r"|testbench(?:es)?|vseqs?|objects?|monitors?|drivers?|sequencers?|scoreboards?|files?)"
)
_X = rf"(?:the |an? )?(?:(?:uvm |base )*{_KIND} )*(?P<x>[A-Za-z_]\w*)"
_BY = rf"(?:who|what|which (?:other |uvm )?{_KIND}) "
_MAKE = r"(?:creates?|builds?|constructs?|makes?|instantiates?)"
_MADE = r"(?:created|built|constructed|instantiated)"
_REPLACE = r"(?:overrides?|replaces?)"
_START = r"(?:starts?|runs?|launch(?:es)?|executes?|kicks? off)"
_ASKED = tuple(
    (what, re.compile(form, re.I))
    for what, form in (
        ("makers", rf"{_BY}{_MAKE} {_X}"),
        (
            "makers",
            rf"(?:where|in which {_KIND}|by (?:whom|which {_KIND})) (?:is|are) {_X} {_MADE}",
        ),
        ("made", rf"(?:what|which {_KIND}) (?:does|do|are|is) (?:\w+ )?{_X} {_MAKE}"),
        ("made", rf"(?:what|which {_KIND}) (?:is|are) {_MADE} (?:by|in) {_X}"),
        ("starters", rf"{_BY}{_START} {_X}"),
        ("starters", rf"where (?:is|are) {_X} (?:started|run|launched|executed)"),
        ("started", rf"(?:what|which {_KIND}) (?:does|do) {_X} {_START}"),
        ("started", rf"(?:what|which {_KIND}) (?:is|are) (?:started|run|launched) (?:by|in) {_X}"),
        ("replacers", rf"{_BY}{_REPLACE} {_X}"),
        ("replacers", rf"(?:what|by what|where|with what) is {_X} (?:overridden|replaced)"),
        ("replaced", rf"(?:what|which {_KIND}) (?:does|do) {_X} {_REPLACE}"),
        (
            "joined",
            rf"(?:what|where|who|which {_KIND}) (?:is|are|does|gets) {_X}\.(?P<port>[\w.]+)"
            r" (?:connected(?: to)?|connect(?: to)?|bound to)",
        ),
        ("joined", rf"{_BY}(?:is |are )?connect(?:s|ed) to {_X}\.(?P<port>[\w.]+)"),
    )
)
_NAMED = re.compile(r"\bcreate_\w*_by_name\s*\(")
_TEXT = re.compile(r'"([A-Za-z_]\w*)"')
_END = re.compile(
    r"(?:,? (?:in|of|from|by|through|via|with) (?:the |this )?(?:uvm )?"
    r"(?:testbench(?:es)?|design|repository|code|factory|project|environment))*"
    r"(?:,? and (?:in which|on which|where|on what|with what|at which)\b.*)?\Z",
    re.I,
)


def add_classes(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what the code of testbenches does with a class; False where none is asked about."""
    asked = plain(question)
    found = ((what, form.match(asked)) for what, form in _ASKED)
    matched = next(((w, f) for w, f in found if f is not None and _END.match(asked, f.end())), None)
    if matched is None:
        return False
    what, match = matched
    known, name = queries.verification(), match["x"]
    classes = known.library.named(name) if known is not None else []
    if known is None or not classes or _other(queries.graph(), known, asked, name):
        return False
    port = match["port"] if what == "joined" else ""
    statements = list(dict.fromkeys(_statements(known, page, what, classes, port)))
    moved = {*result.stale.changed, *result.stale.removed}
    head = _HEADS[what].format(name=f"{name}.{port}" if port else name)
    return add_statements(page, head, statements, moved, f"testbench {name}")


def _other(graph: Graph, known: Verification, question: str, name: str) -> bool:
    """Returns whether a name is that of a unit of the design too, or another class is named."""
    found = unit_at(graph, name)
    others = [one for one in words_of(question) if one != name and "_" in one]
    return (found is not None and found[0] != "class") or any(map(known.library.named, others))


_HEADS = {
    "makers": "{name} is created by:",
    "made": "{name} creates:",
    "starters": "{name} is started by:",
    "started": "{name} starts:",
    "replacers": "In the place of {name} the factory makes:",
    "replaced": "{name} takes the place of, or tells the factory to replace:",
    "joined": "{name} is connected:",
}
_LINKS = {
    "makers": EdgeKind.CREATES,
    "made": EdgeKind.CREATES,
    "starters": EdgeKind.STARTS,
    "replacers": EdgeKind.OVERRIDES,
    "replaced": EdgeKind.OVERRIDES,
}


def _statements(
    known: Verification, page: FactPage, what: str, classes: Sequence[Class], port: str
) -> Iterator[Statement]:
    """Yields the statements that answer: links into or out of the classes, and tests of lists."""
    if what == "joined":
        yield from _joined(known, classes, port)
        return
    if what == "started":
        for one in classes:
            yield from _started(known, page, one)
        return
    into = what in ("makers", "starters", "replacers")
    links = known.described.links
    for one in classes:
        for link in links.into(one) if into else links.out(one):
            if link.kind == _LINKS[what]:
                other = link.source if into else link.target
                by = f" (by its base, from {other.path}:{other.line})"
                by = by if into and other.path != link.path and what == "makers" else ""
                yield Statement(f"{other.name}: {link.text}{by}", link.path, link.line)
    if what == "starters":
        names = {one.name for one in classes}
        for list_, test in known.described.listed():
            if names & {test.test, test.sequence}:
                yield Statement(f"the test {test.name} of {list_.name}", test.path, test.line)
    if what == "replaced":
        for one in classes:
            for act in known.library.acts(one):
                if act.kind == "override":
                    yield Statement(f"{act.left}: {act.right} is made", one.path, act.line)


def _started(known: Verification, page: FactPage, one: Class) -> Iterator[Statement]:
    """Yields the sequences that a class starts, its own first, then those of its bases."""
    library = known.library
    placed = library.placed(one, "start")
    for each in sorted(placed, key=lambda each: each.scope.row != one.row):
        of = started_class(library, each)
        if of is not None and of.name and (not of.known or library.role(of)[0] == "sequence"):
            base = "" if each.scope.row == one.row else f", in its base {each.scope.name}"
            named = list(_by_name(known, page, each))
            text = f"{of.name} ({each.act.left})"
            if named:
                names = ", ".join(name for name, _ in named)
                text = f"one of {names}, made by name ({each.act.left}, declared as {of.name})"
            yield Statement(f"{text}{base}", each.path, each.act.line)
            if named:
                yield Statement("the names begin here", each.path, named[0][1])


def _by_name(known: Verification, page: FactPage, each: Placed) -> Iterator[tuple[str, int]]:
    """Yields (class, line) of the texts that are classes, where a sequence is made by name."""
    lines = page.source(each.path).lines
    first = each.scope.line if each.scope.path == each.path else 0
    before = lines[first : each.act.line] if first else []
    if not any(_NAMED.search(line.partition("//")[0]) for line in before):
        return
    for number, line in enumerate(before, first + 1):
        for name in _TEXT.findall(line.partition("//")[0]):
            if known.library.named(name):
                yield name, number


def _joined(known: Verification, classes: Sequence[Class], port: str) -> Iterator[Statement]:
    """Yields the connections of a port of a class, or of one that extends it."""
    library, rows = known.library, {one.row for one in classes}
    for scope in library.all():
        for joined in connections(library, scope, own=True):
            ends = (joined.source, joined.target)
            for end, other in (ends, ends[::-1]):
                chain = {link.row for link in library.chain(end.of)} if end.of.known else set()
                if rows & chain and end.port.partition("[")[0] == port:
                    act = joined.placed.act
                    text = f"to {other.of.name}.{other.port}, in {scope.name}"
                    yield Statement(text, joined.placed.path, act.line)
