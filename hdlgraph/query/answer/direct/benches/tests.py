"""Answers which tests and benches exercise a unit or class, its coverage, what is bound to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.model import EdgeKind, Location
from hdlgraph.query.answer.direct.benches.lines import MAX_STATEMENTS, Statement, add_statements
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.verification.benches import Bench, every
from hdlgraph.query.verification.find import Verification
from hdlgraph.query.verification.library import Class
from hdlgraph.results import SearchResult
from hdlgraph.store.design.verification import ListedTest

BENCHES, FURTHER = 3, 4
"""Testbenches of a unit whose tests are told, and tests of all but the nearest."""
_TESTS = r"(?:(?:uvm|simulation|regression|dv|directed|random) )*(?:tests?|test ?cases?)"
_KIND = (
    r"(?:(?:module|unit|block|ip|core|design|interface|class|virtual|sequence|vseq|agent|driver"
    r"|component) )*"
)
_X = rf"(?:the |an? )?{_KIND}(?P<x>[A-Za-z_]\w*)(?: (?:module|unit|block|ip|core|sequence|vseq))?"
_DO = (
    r"(?:exercises?|covers?|tests?|verif(?:y|ies)|checks?|stimulates?|drives?|hits?|targets?|runs?"
    r"|starts?|uses?|executes?|launch(?:es)?|simulates?|touch(?:es)?)"
)
_GROUPS = r"(?:cover ?groups?|(?:functional )?coverage|cover ?points?)"
_ASKED = tuple(
    re.compile(form + r"\Z", re.I)
    for form in (
        rf"(?:which|what) (?:of the )?{_TESTS} (?:(?:can|do|does|would|will) )?{_DO} {_X}",
        rf"(?:which|what) {_TESTS} (?:are there|is there|exist|do we have) (?:for|of|on) {_X}",
        rf"(?:which|what) {_TESTS} (?:does|do|is|are) {_X} (?:have|has|run|used|started)"
        r"(?: (?:by|in|with))?",
        rf"(?:by|in|with) (?:which|what) {_TESTS} (?:is|are) {_X}"
        r" (?:exercised|covered|tested|verified|checked|run|started|used|executed)",
        rf"(?:are|is) there (?:any |a )?{_TESTS} (?:for|of|on|that {_DO}) {_X}",
        rf"(?:list|show|name)(?: me)?(?: all)?(?: the)? {_TESTS} (?:for|of|on|that {_DO}) {_X}",
    )
)
_HOLDING = tuple(
    re.compile(form + r"\Z", re.I)
    for form in (
        rf"(?:which|what) (?:uvm )?(?:test ?bench(?:es)?|tbs?|bench(?:es)?) (?:{_DO}|instantiates?"
        rf"|holds?|has|have|contains?|(?:are there|is there|exist) (?:for|of)) {_X}",
        rf"(?:by|in|with) (?:which|what) (?:test ?bench(?:es)?|tbs?) (?:is|are) {_X}"
        r" (?:exercised|covered|tested|verified|checked|instantiated|used)",
    )
)
_COVERED = tuple(
    re.compile(form + r"\Z", re.I)
    for form in (
        rf"(?:which|what) {_GROUPS} (?:covers?|samples?|measures?|exercises?|observes?) {_X}",
        rf"(?:which|what) {_GROUPS} (?:are there|is there|exists?|do we have) (?:for|of|on) {_X}",
        rf"(?:which|what) {_GROUPS} (?:does|do) {_X} have",
        rf"(?:what|where) is (?:the )?(?:functional )?coverage (?:for|of) {_X}",
    )
)
_BOUND = tuple(
    re.compile(form + r"\Z", re.I)
    for form in (
        r"(?:which|what) ?(?:sva |assertions?|assertion \w+|checkers?|modules?|interfaces?|units?"
        rf"|properties)* ?(?:is|are|gets?) (?:bound|added by bind|attached) (?:to|into|in|on) {_X}",
        rf"what does (?:a |the )?bind (?:add|attach) to {_X}",
        rf"(?:which|what) binds (?:are there|exist|target) ?(?:for|on|of|to)? {_X}",
    )
)


def add_tests(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the tests that exercise a unit or run a class; False where none is asked for."""
    name = _asked(_ASKED, question)
    holding = "" if name else _asked(_HOLDING, question)
    known = queries.verification() if name or holding else None
    if known is None:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    benches = every(known.benches, name or holding)
    if holding or (benches and not any(_has_tests(known, one) for one in benches[:BENCHES])):
        return _holding(page, known, benches, name or holding, moved, bool(holding))
    if benches:
        most = [MAX_STATEMENTS, *[FURTHER] * BENCHES]
        texts = [
            _of_bench(page, known, bench, name, moved, number)
            for bench, number in zip(benches[:BENCHES], most, strict=False)
        ]
        return any(texts)
    return _of_class(page, known, known.library.named(name), name, moved)


def _has_tests(known: Verification, bench: Bench) -> bool:
    parts = known.benches.parts(bench.row)
    return bool(parts.tests) or any(one.tests for one in parts.lists)


def _holding(
    page: FactPage,
    known: Verification,
    benches: list[Bench],
    name: str,
    moved: set[str],
    listed: bool,
) -> bool:
    """Adds the testbenches that hold a unit, each with the line of the last instance."""
    units = known.benches.units
    statements = []
    for bench in benches:
        way = ".".join([units.names[bench.row], *(step.name for step in bench.way)])
        place = str(Location(units.paths[bench.row], units.lines[bench.row]))
        path, _, line = (bench.way[-1].location if bench.way else place).rpartition(":")
        statements.append(
            Statement(f"{units.names[bench.row]} ({place}) as {way}", path, int(line))
        )
    rows = known.benches.rows(name)
    for row in rows:
        for one in known.benches.programs(row):
            text = f"{one['kind']} {one['name']} of {one['top']}".replace("  ", " ")
            statements.append(Statement(text, one["path"], one["line"]))
    head = f"Testbenches that hold {name}:"
    if not listed:
        head = f"No test of {name} is listed or found; these testbenches hold it:"
    return add_statements(page, head, statements, moved, f"testbench {name}")


def add_coverage(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the covergroups of what is bound to a unit and of its nearest testbench's classes."""
    name = _asked(_COVERED, question)
    known = queries.verification() if name else None
    if known is None:
        return False
    benches, library = known.benches, known.library
    statements: dict[tuple[str, int], Statement] = {}
    for row in benches.rows(name):
        groups = [(benches.units.names[row], *one) for one in benches.groups(row)]
        for child, into in benches.bound_below(row):
            of = f"{benches.units.names[child]}, bound to {into}"
            groups += [(of, *one) for one in benches.groups(child)]
        for bench in benches.of(row)[:1]:
            for one in benches.parts(bench.row).coverage:
                groups += [
                    (link.name, link.path, act)
                    for link in library.chain(one)
                    for act in library.acts(link)
                    if act.kind == "group"
                ]
        for of, path, act in groups:
            statements.setdefault(
                (path, act.line), Statement(f"{act.left} of {of}", path, act.line)
            )
    moved = {*result.stale.changed, *result.stale.removed}
    head = f"Covergroups of {name}, of what is bound to it and of its nearest testbench:"
    return add_statements(page, head, statements.values(), moved, f"testbench {name}")


def add_bound(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what `bind` adds to a unit; False where nothing is asked for, or none is known."""
    name = _asked(_BOUND, question)
    known = queries.verification() if name else None
    if known is None:
        return False
    statements: dict[tuple[str, str], Statement] = {}
    for row in known.benches.rows(name):
        for one in known.benches.bound(row):
            into = "" if one["into"] == name else f" into {one['into']}"
            at = f"defined at {one['defined']}" if one["defined"] else "not in the repository"
            text = f"{one['name']} as {one['instance']}{into}, {at}"
            path, _, line = one["location"].rpartition(":")
            statements.setdefault((text, one["location"]), Statement(text, path, int(line)))
    moved = {*result.stale.changed, *result.stale.removed}
    head = f"Bound to {name} and to units below it:"
    return add_statements(page, head, statements.values(), moved, f"testbench {name}")


def _asked(forms: tuple[re.Pattern[str], ...], question: str) -> str:
    asked = plain(question)
    found = next(filter(None, (form.match(asked) for form in forms)), None)
    return found["x"] if found else ""


def _of_bench(
    page: FactPage, known: Verification, bench: Bench, name: str, moved: set[str], most: int
) -> bool:
    """Adds the tests of a testbench with the line that holds the unit; False without any.

    Those that are called after the unit come first.
    """
    units, parts = known.benches.units, known.benches.parts(bench.row)
    tests = [test for one in parts.lists for test in one.tests]
    tests.sort(key=lambda test: name not in test.name)
    place = Location(units.paths[bench.row], units.lines[bench.row])
    if not tests and not parts.tests:
        return False
    held = bench.way[-1].location if bench.way else str(place)
    path, _, line = held.rpartition(":")
    if path in moved or not page.source(path).text:
        return False
    way = ".".join([units.names[bench.row], *(step.name for step in bench.way)])
    page.add(f"Tests of the testbench {place}, which holds {name} as {way}:")
    for text in list(_texts(tests, parts.tests))[:most]:
        page.add(f"- {text}")
    left = len(tests or parts.tests) - most
    if left > 0:
        page.add(f"- and {left} more: `hdlgraph testbench {name} --limit {left + most}`")
    page.code(path, page.source(path), [int(line)])
    page.add()
    return True


def _texts(tests: list[ListedTest], classes: tuple[Class, ...]) -> Iterator[str]:
    for test in tests:
        runs = [f"UVM test {test.test}"] if test.test else []
        runs += [f"sequence {test.sequence}"] if test.sequence else []
        about = f": {', '.join(runs)}" if runs else ""
        yield f"{test.name}{about} ({Location(test.path, test.line)})"
    for one in () if tests else classes:
        yield f"{one.name} ({Location(one.path, one.line)})"


def _of_class(
    page: FactPage, known: Verification, classes: list[Class], name: str, moved: set[str]
) -> bool:
    """Adds the tests that run a class, also through sequences that start it; False for none."""
    texts = list(dict.fromkeys(_running(known, classes)))
    if not texts:
        return False
    place = next((one for one in classes if one.path not in moved), None)
    if place is None:
        return False
    page.add(f"Tests that run {name}:")
    for text in texts[:MAX_STATEMENTS]:
        page.add(f"- {text}")
    if len(texts) > MAX_STATEMENTS:
        page.add(f"- and {len(texts) - MAX_STATEMENTS} more")
    page.code(place.path, page.source(place.path), [place.line])
    page.add()
    return True


def _running(known: Verification, classes: list[Class]) -> Iterator[str]:
    """Yields the listed tests that run classes, those that run them themselves first."""
    listed = list(known.described.listed())
    own = {one.name for one in classes}
    for list_, test in listed:
        if own & {test.test, test.sequence}:
            yield f"{test.name} of {list_.name or list_.path} ({Location(test.path, test.line)})"
    starters = {
        link.source.name: link
        for one in classes
        for link in known.described.links.into(one)
        if link.kind in (EdgeKind.STARTS, EdgeKind.CREATES)
    }
    for list_, test in listed:
        for name in () if own & {test.test, test.sequence} else (test.sequence, test.test):
            one = known.library.meant(name, test.path) if name else None
            chain = known.library.chain(one) if one is not None and one.known else ()
            link = next((starters[base.name] for base in chain if base.name in starters), None)
            if link is not None:
                yield (
                    f"{test.name} of {list_.name or list_.path}"
                    f" ({Location(test.path, test.line)}), through {name}: {link.location}"
                )
                break
