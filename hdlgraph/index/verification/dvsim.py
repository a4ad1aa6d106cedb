"""Reads which tests there are: the simulation settings and test plans that dvsim reads.

`NAME_sim_cfg.hjson` lists the tests of a testbench and imports further lists; the test plan that
it names says which tests reach which goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from hdlgraph.index.registers.hjson import Node
from hdlgraph.store.design.verification import Goal, ListedTest, TestList

CONFIGURED = "sim_cfg.hjson"
DEPTH = 8
"""Lists that import each other."""
TESTS = 5000
"""Tests of one testbench, and entries of its test plans."""
_ROOT = re.compile(r"\{(?:proj|self|dv|testplan)_(?:root|dir)\}/")
_VALUE = re.compile(r"\{(\w+)\}")
_PLAN = ("entries", "testpoints")
_SAYS = ("name", "desc", "tests")
_LISTS = ("en_run_modes", "run_opts", "sw_images")
_REPORTED_KEYS = (*_LISTS, "reseed")
VALUES = 60
"""Plain values of a file that are kept."""
LONG = 400
"""Characters of an option that are kept."""
ABOUT = 800
"""Characters of the description of a test plan's entry that are kept."""


class Settings(NamedTuple):
    """One file of settings; values are as they are written."""

    path: str
    name: str = ""
    dut: str = ""
    tb: str = ""
    core: str = ""
    plan: str = ""
    test: str = ""
    sequence: str = ""
    imports: tuple[str, ...] = ()
    tests: tuple[tuple[str, int, str, str, tuple[str, ...], tuple[tuple[str, str], ...]], ...] = ()
    modes: tuple[tuple[str, str, str], ...] = ()
    goals: tuple[Goal, ...] = ()
    values: tuple[tuple[str, str], ...] = ()


def settings(path: str, root: Node) -> Settings:
    """Returns the settings, or the test plan, of a file that was read."""
    text = {key: root.get(key).text() for key in ("name", "dut", "tb", "fusesoc_core", "testplan")}
    imports = (*_texts(root.get("import_cfgs")), *_texts(root.get("import_testplans")))
    return Settings(
        path,
        text["name"],
        text["dut"],
        text["tb"],
        text["fusesoc_core"],
        text["testplan"],
        root.get("uvm_test").text(),
        root.get("uvm_test_seq").text(),
        imports,
        tuple(
            (
                one.get("name").text(),
                one.line,
                one.get("uvm_test").text(),
                one.get("uvm_test_seq").text(),
                _texts(one.get("en_run_modes")),
                tuple(_more(one)),
            )
            for one in root.get("tests").items()
        ),
        tuple(
            (one.get("name").text(), one.get("uvm_test").text(), one.get("uvm_test_seq").text())
            for one in root.get("run_modes").items()
        ),
        tuple(_goals(path, root)),
        tuple(_values(root)),
    )


def _goals(path: str, root: Node) -> Iterator[Goal]:
    """Yields the entries of a test plan."""
    for key in _PLAN:
        for one in root.get(key).items():
            about = " ".join(one.get("desc").text().split())[:ABOUT]
            tests, last = _texts(one.get("tests")), max(one.get(key).line for key in _SAYS)
            yield Goal(one.get("name").text(), one.line, tests, about, path, last)


def _values(root: Node) -> Iterator[tuple[str, str]]:
    """Yields the plain values of a file, by which other texts of it may be filled."""
    raw = root.value if isinstance(root.value, dict) else {}
    for key, one in list(raw.items())[:VALUES]:
        if one.text() and len(one.text()) <= LONG:
            yield key, one.text()


def _more(test: Node) -> Iterator[tuple[str, str]]:
    """Yields the options of a test that an answer shows."""
    for key in _REPORTED_KEYS:
        text = test.get(key).text() or " ".join(_texts(test.get(key)))
        if text:
            yield key, text[:LONG]


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(one.text() for one in node.items() if one.text())


Opener = Callable[[str], "Settings | None"]


def test_list(head: Settings, find: Opener) -> TestList:
    """Returns the tests of a testbench, those of imported lists after its own.

    Args:
        head: the settings of the testbench.
        find: gives the settings of a file by the path that a list has of it, None for unknown.
    """
    files = [head, *_imported(head, find, {head.path}, 0)]
    default = head.test or next((one.test for one in files if one.test), "")
    sequence = head.sequence or next((one.sequence for one in files if one.sequence), "")
    head = _completed(files)
    values = {key: text for one in reversed(files) for key, text in one.values}
    values |= {"name": head.name, "dut": head.dut, "tb": head.tb, "flow": "sim"}
    found = _found(files, values)
    test, starts = _filled(default, values), _filled(sequence, values)
    tests = [
        one._replace(test=one.test or test, sequence=one.sequence or starts)
        for one in found.values()
    ]
    plan = find(_filled(head.plan, values)) if head.plan else None
    plans = [plan, *_imported(plan, find, {plan.path}, 0)] if plan else []
    goals = tuple(
        one._replace(tests=tuple(_filled(test, values) for test in one.tests))
        for one in islice((goal for each in plans for goal in each.goals), TESTS)
    )
    return TestList(
        head.name,
        head.path,
        1,
        _filled(head.dut, values),
        head.tb,
        head.core,
        tuple(tests),
        plan.path if plan else "",
        goals,
    )


def _found(files: list[Settings], values: dict[str, str]) -> dict[str, ListedTest]:
    """Returns the tests of some files by name, those of one name merged."""
    modes = {mode[0]: mode for file in files for mode in file.modes}
    found: dict[str, ListedTest] = {}
    for file in files:
        for name, line, test, starts, enabled, more in file.tests:
            on = [modes[one] for one in enabled if one in modes]
            test = test or next((one[1] for one in on if one[1]), "")
            starts = starts or next((one[2] for one in on if one[2]), "")
            filled = _filled(name, values)
            if filled and (filled in found or len(found) < TESTS):
                options = tuple((key, _filled(text, values)) for key, text in more)
                runs = _filled(test, values), _filled(starts, values)
                one = ListedTest(filled, file.path, line, *runs, more=options)
                found[filled] = _merged(found.get(filled), one)
    return found


def _completed(files: list[Settings]) -> Settings:
    """Returns the first of some files with what it leaves to those that it imports."""
    head = files[0]
    for other in files[1:]:
        head = head._replace(
            **{
                key: getattr(head, key) or getattr(other, key)
                for key in ("name", "dut", "tb", "core", "plan")
            }
        )
    return head


def _merged(first: ListedTest | None, other: ListedTest) -> ListedTest:
    """Returns a test that is listed twice as dvsim merges it: each entry adds what others lack.

    Its place is that of the entry which says what runs.
    """
    if first is None:
        return other
    chosen = first if first.test or first.sequence or not (other.test or other.sequence) else other
    test, sequence = first.test or other.test, first.sequence or other.sequence
    return chosen._replace(test=test, sequence=sequence, more=_joined(first.more, other.more))


def _joined(
    first: tuple[tuple[str, str], ...], other: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Returns the options of both entries: lists one behind the other, else those of the first."""
    found = dict(first)
    for key, text in other:
        if key in found and key in _LISTS:
            text = f"{found[key]} {text}"[:LONG]
        found[key] = text if key in _LISTS else found.get(key, text)
    return tuple(found.items())


def _imported(head: Settings, find: Opener, seen: set[str], depth: int) -> Iterator[Settings]:
    for place in head.imports if depth < DEPTH else ():
        one = find(_filled(place, {"name": head.name}))
        if one is not None and one.path not in seen:
            seen.add(one.path)
            yield one
            yield from _imported(one, find, seen, depth + 1)


def place_of(written: str) -> str:
    """Returns the path that a list has of another file, relative to the repository."""
    return _ROOT.sub("", written).removeprefix("./")


def _filled(text: str, values: dict[str, str]) -> str:
    return _VALUE.sub(lambda found: values.get(found[1], found[0]) or found[0], text)
