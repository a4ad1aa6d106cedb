"""Answers how something is switched on or off: by a macro, a parameter or a plusarg."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.direct.benches.texts import plusargs
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.direct.widths import add_parameter
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import is_unit
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

FILES = 10  # first hits whose switches are compared
MOST = 3  # switches that are told
GUARDED, SHOWN = 40, 4  # lines under a macro that are read, and that are shown
LEAST, SHARE = 2, 1 / 3  # words of the question, and share of them, that a switch has
HALF = 1 / 2  # share of a name's parts, or of the words in one line under a macro, that agree
DEFINED = 3  # files that define a macro
PREFIX = 4  # letters in which a short form agrees with its word: `config`
_TURNS = (
    r"(?:enabl|disabl|activat|deactivat|suppress|silenc|skip|mut)\w*"
    r"|(?:turn|switch|shut|leav)(?:ed|ing|e)?\b.{1,80}?\b(?:on|off|out)|turn(?:ed)? (?:on|off)"
    r"|(?:get|have|bring)\b.{1,80}?\b(?:bound|built|compiled|included|printed|traced|dumped)\b"
)
_ASKED = re.compile(
    rf"\bhow (?:do|can|could|should|would|to|is|are)\b.{{0,60}}?\b(?:{_TURNS})"
    r"|\b(?:which|what) (?:\w+ )?(?:define|macro|parameter|plusarg|option|switch|flag|knob)s?\b"
    r".{0,20}?\b(?:enables?|disables?|activates?|turns?|switch(?:es)?|suppress(?:es)?|skips?)\b",
    re.I,
)
GUARDED_BY = EdgeKind.GUARDED_BY.value
_OWN = frozenset(
    stem(word)
    for word in "enable disable activate deactivate suppress silence skip mute turn switch shut on "
    "off get bound bind built build compiled included printed option flag knob define macro "
    "parameter plusarg how use simulation design".split()
)
_TEXT = re.compile(r"lines? (\d+)(?: to (\d+))? if ([^,]+)")
_SWITCH = re.compile(r"=\s*(?:\d*'s?[bdh])?[01]\s*$|=\s*'[01]\s*$")
_CODE = re.compile(r"[A-Za-z_]\w*")
_AFFIXES = frozenset(
    stem(part) for part in "p g en enable disable use has with no on off is support".split()
)
"""Parts of a switch's name that do not say what it switches."""


class Switch(NamedTuple):
    """What switches something: how many words of the question its name and its lines have."""

    in_name: int
    in_all: int
    path: str
    line: int
    name: str
    row: int = -1
    """That of a parameter; -1 for a macro or a plusarg."""
    condition: str = ""
    """The test of a macro."""
    guarded: tuple[int, ...] = ()
    """The lines under it that have words of the question."""


def add_switches(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the macros, parameters and plusargs that switch what a question names; False without.

    Those of the first hits count, and macros whose names have words of the question.
    """
    if not _ASKED.search(question):
        return False
    wanted = list(dict.fromkeys(word for word in content_stems(question) if word not in _OWN))
    moved = {*result.stale.changed, *result.stale.removed}
    files, is_named = _files(question, queries, result, moved)
    found = [
        *_macros(page, wanted, queries, files, moved, is_named),
        *_parameters(page, wanted, queries, files),
        *_plusargs(page, wanted, files),
    ]
    found = [one for one in found if one.in_name and one.in_all >= max(LEAST, SHARE * len(wanted))]
    best = max((one.in_name + one.in_all for one in found), default=0)
    found = [one for one in dict.fromkeys(found) if one.in_name + one.in_all == best]
    if len(found) > 2 * MOST:
        return False  # words that all of them have
    if any(one.row >= 0 for one in found[:MOST]):
        page.add("Parameters that may switch it:")
    for one in sorted(found[:MOST], key=lambda one: one.row < 0):
        _tell(page, queries, one, moved)
    for name in dict.fromkeys(one.name for one in found[:MOST] if one.guarded):
        _defined(page, queries, name, moved)
    return bool(found)


def _files(
    question: str, queries: Queries, result: SearchResult, moved: set[str]
) -> tuple[list[str], bool]:
    """Returns the files of the units that a question names, else the first hits; which of both."""
    graph = queries.graph()
    places, kinds = graph.nodes.column("path"), graph.nodes.column("kind")
    named = (row for name in units_named(question, graph) for row in graph.ending(name))
    own = list(dict.fromkeys(places[row] for row in named if places[row] and is_unit(kinds[row])))
    paths = own or [hit.path for hit in result.hits[:FILES]]
    return [path for path in paths if path not in moved], bool(own)


def _tell(page: FactPage, queries: Queries, one: Switch, moved: set[str]) -> None:
    if one.row >= 0:
        add_parameter(page, queries.graph(), one.row, "- ", moved)
        return
    page.add(f"Built if {one.condition}:" if one.guarded else f"The plusarg {one.name}:")
    page.code(one.path, page.source(one.path), (one.line, *one.guarded[:SHOWN]))


def _defined(page: FactPage, queries: Queries, name: str, moved: set[str]) -> None:
    """Adds where a macro is defined, also in a comment that waits to be one."""
    define = re.compile(rf"`define\s+{re.escape(name)}(?![\w$])")
    places = [
        (path, number)
        for path in queries.holding(name)
        if path not in moved
        for number, text in enumerate(page.source(path).lines, 1)
        if define.search(text)
    ]
    if not places:
        page.add(f"No Verilog file of the index defines {name}: tools take it as +define+{name}.")
    for path, number in [one for one in places if one not in page.shown][:DEFINED]:
        page.code(path, page.source(path), [number])


def _macros(
    page: FactPage,
    wanted: Sequence[str],
    queries: Queries,
    files: Sequence[str],
    moved: set[str],
    is_named: bool,
) -> Iterator[Switch]:
    """Yields the tests of macros that put lines into the code, in `files` alone with `is_named`."""
    graph = queries.graph()
    nodes, edges = graph.nodes, graph.edges
    kinds, paths, texts = (edges.column(key) for key in ("kind", "path", "text"))
    lines_of, name_of = edges.column("line"), nodes.column("name")
    macros = (row for row, kind in enumerate(nodes.column("kind")) if kind == NodeKind.MACRO.value)
    for row in macros:
        name = name_of[row]
        own = _having(wanted, _stems(name))
        for edge in graph.in_edges(row).tolist():
            path, line = paths[edge], lines_of[edge]
            said = _TEXT.match(texts[edge]) if kinds[edge] == GUARDED_BY else None
            near = path in files or (len(own) >= LEAST and not is_named)
            if said is not None and near and path not in moved:
                yield _macro(page, wanted, own, (path, line, name), said)


def _macro(
    page: FactPage,
    wanted: Sequence[str],
    own: set[str],
    place: tuple[str, int, str],
    said: re.Match[str],
) -> Switch:
    """Returns a test of a macro, from path, line and name, with the lines that it picks."""
    path, line, name = place
    first, last = int(said[1]), int(said[2] or said[1])
    lines = page.source(path).lines
    near = range(first, min(last, first + GUARDED, len(lines)) + 1)
    held = {number: _having(wanted, _stems(lines[number - 1])) for number in near}
    every = own.union(*held.values())
    best = max(map(len, held.values()), default=0)
    shown = tuple(number for number, words in held.items() if len(words) == best)
    # What is under the macro says what it switches, as its name does.
    named = max(len(own), best if best >= max(LEAST, HALF * len(wanted)) else 0)
    return Switch(named, len(every), path, line, name, -1, said[3], shown or (first,))


def _parameters(
    page: FactPage, wanted: Sequence[str], queries: Queries, files: Sequence[str]
) -> Iterator[Switch]:
    """Yields the parameters of some files that are 0 or 1."""
    nodes = queries.graph().nodes
    columns = [nodes.column(key) for key in ("kind", "path", "line", "name", "detail")]
    for row, (kind, path, line, name, detail) in enumerate(zip(*columns, strict=True)):
        if kind != NodeKind.PARAMETER.value or path not in files or not _SWITCH.search(detail):
            continue
        own = _agreeing(wanted, name.rpartition(".")[2])
        unit = _having(wanted, _stems(name.partition(".")[0]))
        text = "".join(page.source(path).lines[line - 1 : line]).partition("//")[2]
        every = own | unit | _having(wanted, _stems(text))
        yield Switch(len(own), len(every), path, line, name, row)


def _plusargs(page: FactPage, wanted: Sequence[str], files: Sequence[str]) -> Iterator[Switch]:
    """Yields the plusargs that some files read."""
    for path in files:
        lines = page.source(path).lines
        for number, text in enumerate(lines, 1):
            for name in plusargs(text) if "arg" in text else ():
                own = _agreeing(wanted, name)
                near = " ".join(lines[max(number - 3, 0) : number + 2])
                every = own | _having(wanted, _stems(f"{path} {near}"))
                yield Switch(len(own), len(every), path, number, f"+{name}")


def _stems(text: str) -> set[str]:
    """Returns the stems of the parts of all identifiers in a text."""
    return {stem(part) for word in _CODE.findall(text) for part in split_identifier(word)}


def _having(wanted: Sequence[str], stems: set[str]) -> set[str]:
    """Returns the words that are among some stems, or of which one is a short form."""
    return {word for word in wanted if word in stems or any(_short(word, one) for one in stems)}


def _agreeing(wanted: Sequence[str], name: str) -> set[str]:
    """Returns the words that a switch's name has; none where most of its parts are others."""
    parts = _stems(name) - _AFFIXES
    found = _having(wanted, parts)
    return found if len(found) >= HALF * len(parts) else set()


def _short(word: str, part: str) -> bool:
    return PREFIX <= len(part) < len(word) and word.startswith(part)
