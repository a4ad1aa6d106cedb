"""Reads the lists of tests that riscv-dv and what follows it have: `testlist.yaml`.

Each entry names a test, the UVM test that runs it (`rtl_test`), and its options. Only the events of
the YAML are read, so that no value is made of a tag and an alias is never written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from hdlgraph.store.design.verification import ListedTest, TestList

EVENTS = 300_000
"""Events of a file that are read; a test is about 15."""
TESTS = 5000
"""Tests of one list."""
FIELDS = 40
"""Values of one test that are kept."""
LONG = 400
"""Characters of a value that are kept."""
_MERGE, _CONFIG = "<<", "config"
_REPORTED_KEYS = frozenset(
    "iterations gen_test gen_opts sim_opts rtl_params asm_tests asm_test c_tests c_test test_srcs"
    " gcc_opts cmp_opts compare_opts no_iss no_gcc no_post_compare sv_seed timeout_s".split()
)
"""Fields that an answer shows besides the test, its UVM test and its description."""


class _Held(NamedTuple):
    """A list or mapping that is open: its line, its anchor, and its values so far."""

    is_map: bool
    line: int
    anchor: str
    values: dict[str, str]
    keys: list[str]
    texts: list[str]


def listed_tests(path: str, text: str) -> TestList:
    """Returns the tests that a list has, none of a text that is no such list."""
    entries = _Entries()
    try:
        for number, event in enumerate(yaml.parse(text, Loader=_loader())):
            if number >= EVENTS or len(entries.tests) >= TESTS:
                break
            entries.take(event)
    except (yaml.YAMLError, ValueError):
        pass  # what stands before the mistake counts
    configs = entries.configs
    tests = tuple(
        _test(path, line, {**configs.get(values.get(_CONFIG, ""), {}), **values})
        for line, values in entries.tests
    )
    return TestList(path, path, 1, tests=tests)


def _loader() -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _test(path: str, line: int, values: dict[str, str]) -> ListedTest:
    runs = values.get("rtl_test") or values.get("gen_test", "")
    about = values.get("description") or values.get("desc", "")
    more = tuple(
        (key, values[key]) for key in sorted(_REPORTED_KEYS & values.keys()) if values[key]
    )
    return ListedTest(values["test"], path, line, runs, about=about, more=more)


class _Entries:
    """The mappings of a YAML text that are tests or configurations of tests."""

    def __init__(self) -> None:
        self.tests: list[tuple[int, dict[str, str]]] = []
        self.configs: dict[str, dict[str, str]] = {}
        self._anchors: dict[str, dict[str, str]] = {}
        self._open: list[_Held] = []

    def take(self, event: yaml.Event) -> None:
        """Takes the next event of the text."""
        if isinstance(event, yaml.CollectionStartEvent):
            is_map = isinstance(event, yaml.MappingStartEvent)
            line = event.start_mark.line + 1 if event.start_mark else 1
            self._open.append(_Held(is_map, line, event.anchor or "", {}, [], []))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(self._open.pop())
        elif isinstance(event, yaml.ScalarEvent):
            self._value(" ".join(event.value[: 4 * LONG].split())[:LONG])
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "")

    def _value(self, text: str) -> None:
        held = self._open[-1] if self._open else None
        if held is None:
            return
        if not held.is_map:
            held.texts.append(text)
        elif not held.keys:
            held.keys.append(text)
        else:
            key = held.keys.pop()
            if len(held.values) < FIELDS:
                held.values[key] = text

    def _alias(self, anchor: str) -> None:
        held = self._open[-1] if self._open else None
        if held is not None and held.is_map and held.keys[-1:] == [_MERGE]:
            held.keys.pop()
            for key, text in self._anchors.get(anchor, {}).items():
                held.values.setdefault(key, text)
        else:
            self._value("")

    def _close(self, held: _Held) -> None:
        if held.is_map and held.anchor:
            self._anchors[held.anchor] = held.values
        if held.is_map and self._open and not self._open[-1].is_map:
            if held.values.get("test"):
                self.tests.append((held.line, held.values))
            elif held.values.get(_CONFIG):
                self.configs[held.values[_CONFIG]] = held.values
        self._value(" ".join(_value_texts(held))[:LONG])


def _value_texts(held: _Held) -> Iterator[str]:
    """Yields the values in a list or mapping that is itself a value."""
    yield from held.texts[:FIELDS]
    yield from (f"{key}={text}" for key, text in held.values.items())
