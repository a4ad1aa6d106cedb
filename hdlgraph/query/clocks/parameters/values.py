"""The parameter values of instances as far as the text tells them, and the generates they take."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Protocol

from hdlgraph.graph.graph import Graph
from hdlgraph.parsers.text.expressions import fields_of
from hdlgraph.query.clocks.parameters.arithmetic import Value, evaluate
from hdlgraph.query.clocks.records import Part
from hdlgraph.query.clocks.units import Drivers, Units
from hdlgraph.query.signals.machines.choices import parts

DEPTH = 12
"""Parameters that a value is followed through."""
_LOOP = re.compile(r"for (?:genvar )?(\w+) = ([^;]+); (.+)")
_NAME = re.compile(r"(?<![\w$'.`])[A-Za-z_][\w$]*(?:::\w+)*")


class Instances(Protocol):
    """The instances below a top by number; the top is 0."""

    units: Units
    parents: list[int]

    def unit(self, at: int) -> Drivers:
        """Returns the unit of an instance."""

    def part(self, at: int) -> Part:
        """Returns an instance as the unit around it has it."""


class Values:
    """Parameter values of the instances of a network; the top has its defaults."""

    def __init__(self, network: Instances, graph: Graph) -> None:
        self._network, self._graph = network, graph
        self._kept: dict[tuple[int, str], Value | None] = {}
        self._taken: dict[tuple[int, int], bool] = {}

    def is_taken(self, at: int, guard: int) -> bool:
        """Returns whether an instance has a branch of a generate; in doubt it has.

        Args:
            at: the instance.
            guard: the number of the innermost condition around a statement of its unit.
        """
        guards = self._network.unit(at).view.flow.guards
        inner = []
        while guard >= 0 and (at, guard) not in self._taken:
            inner.append(guard)
            guard = guards[guard].outer
        found = guard < 0 or self._taken[at, guard]
        for guard in reversed(inner):
            one = guards[guard]
            if found and one.kind == "generate":
                found = self._holds(at, one.text) != 0
            self._taken[at, guard] = found
        return found

    def _holds(self, at: int, text: str) -> Value | None:
        """Returns the value of a generate condition; of a loop, of the test that it begins with."""
        loop = _LOOP.fullmatch(text)
        if loop is None:
            return self._evaluated(at, text, 0)
        first = evaluate(loop[2], lambda name: self.value(at, name))
        return evaluate(loop[3], lambda name: first if name == loop[1] else self.value(at, name))

    def open_conditions(self, at: int, guard: int) -> list[str]:
        """Returns the generate conditions around a statement that the parameters do not tell."""
        found: list[str] = []
        guards = self._network.unit(at).view.flow.guards
        while guard >= 0:
            one = guards[guard]
            is_test = one.kind == "generate" and not one.text.startswith("for ")
            if is_test and self._holds(at, one.text) is None:
                found.append(one.text)
            guard = one.outer
        return found[::-1]

    def of_top(self, at: int, text: str) -> str:
        """Returns a condition with its names as `NAME@INSTANCE`, followed up through overrides.

        What two instances are both given by one around them has the same name there.
        """
        return _NAME.sub(lambda match: self._given(at, match[0]), text)

    def _given(self, at: int, name: str) -> str:
        network = self._network
        while at > 0:
            text = dict(network.part(at).child.values).get(name, "")
            if not _NAME.fullmatch(text):
                break
            at, name = network.parents[at], text
        return f"{name}@{at}"

    def value(self, at: int, name: str, depth: int = 0) -> Value | None:
        """Returns the value of a parameter of an instance, or of a constant that it sees."""
        key = (at, name)
        if key not in self._kept:
            self._kept[key] = None  # of a circle there is none
            self._kept[key] = self._find(at, name, depth) if depth < DEPTH else None
        return self._kept[key]

    def _find(self, at: int, name: str, depth: int) -> Value | None:
        base, _, field = name.partition(".")
        place, text = self._text(at, base)
        if field:  # of a structure
            place, text = self._of_field(place, text, field, depth)
        if text:
            return self._evaluated(place, text, depth + 1)
        short = name.rpartition("::")[2]
        is_other = short in self._constants or self._parameter(at, name) >= 0
        is_member = not is_other and short in self._network.units.design.constants
        return short if is_member else None

    def _evaluated(self, at: int, text: str, depth: int) -> Value | None:
        """Returns the value of an expression as an instance sees it."""
        return evaluate(
            text,
            lambda name: self.value(at, name, depth),
            lambda name: self._number(self.value(at, name, depth), depth),
        )

    def _number(self, member: Value | None, depth: int) -> int | None:
        """Returns the number of a member of an enumeration, None where it is not told."""
        texts = self._members.get(member, set()) if isinstance(member, str) else set()
        if len(texts) != 1 or depth >= DEPTH:
            return None
        (text, more) = next(iter(texts))
        found = self._evaluated(0, text, depth + 1)
        return found + more if isinstance(found, int) else None

    @cached_property
    def _members(self) -> dict[str, set[tuple[str, int]]]:
        """Returns (text, what is added to it) of the members of enumerations by their names."""
        nodes, found = self._graph.nodes, dict[str, set[tuple[str, int]]]()
        for kind, detail in zip(nodes.column("kind"), nodes.column("detail"), strict=True):
            if kind != "type" or not detail.startswith("enum ") or not detail.endswith("}"):
                continue
            base, more = "0", 0
            for one in parts(detail[detail.index("{") + 1 : -1]):
                name, given, text = one.partition("=")
                base, more = (text.strip(), 0) if given else (base, more)
                found.setdefault(name.strip(), set()).add((base, more))
                more += 1
        return found

    def _parameter(self, at: int, name: str) -> int:
        """Returns the row of a parameter of an instance's unit, -1 where it has none so called."""
        unit = self._network.unit(at).unit
        return self._graph.row(f"parameter:{unit.path}#{unit.name}.{name}")

    def _text(self, at: int, name: str) -> tuple[int, str]:
        """Returns (instance whose names it has, text) of a parameter, constant or macro."""
        network = self._network
        if name[0] == "`":
            return at, self._macro(network.unit(at).unit.path, name[1:])
        row = self._parameter(at, name)
        if row < 0:
            package, _, short = name.rpartition("::")
            texts = self._constants.get(short, {})
            found = [texts[package]] if package in texts else sorted(set(texts.values()))
            return at, found[0] if len(found) == 1 else ""
        detail = self._graph.nodes.column("detail")[row]
        if at > 0 and not detail.startswith("localparam"):
            given = dict(network.part(at).child.values).get(name)
            if given is not None:
                return network.parents[at], given
        return at, detail.partition(" = ")[2]

    def _of_field(self, at: int, text: str, field: str, depth: int) -> tuple[int, str]:
        """Returns (instance, text) of a field of a structure, "" where its text is not there."""
        while depth < DEPTH and _NAME.fullmatch(text):  # the structure is handed on
            at, text = self._text(at, text)
            depth += 1
        given = fields_of(text)
        return at, given.get(field, given.get("default", ""))

    def _macro(self, path: str, name: str) -> str:
        """Returns the text of a macro: of this file, else the only one."""
        texts = self._macros.get(name, {})
        found = {texts[path]} if path in texts else {*texts.values()}
        return found.pop() if len(found) == 1 else ""

    @cached_property
    def _macros(self) -> dict[str, dict[str, str]]:
        """Returns the texts of macros by name, then by path."""
        nodes, found = self._graph.nodes, dict[str, dict[str, str]]()
        columns = (nodes.column(name) for name in ("kind", "name", "path", "detail"))
        for kind, name, path, detail in zip(*columns, strict=True):
            if kind == "macro":
                found.setdefault(name, {})[path] = detail
        return found

    @cached_property
    def _constants(self) -> dict[str, dict[str, str]]:
        """Returns the texts of the constants of packages by name, then by package."""
        nodes = self._graph.nodes
        packages = {
            name
            for kind, name in zip(nodes.column("kind"), nodes.column("name"), strict=True)
            if kind == "package"
        }
        found: dict[str, dict[str, str]] = {}
        rows = zip(nodes.column("kind"), nodes.column("name"), nodes.column("detail"), strict=True)
        for kind, name, detail in rows:
            owner, _, short = name.rpartition(".")
            if kind == "parameter" and owner in packages and " = " in detail:
                found.setdefault(short, {})[owner] = detail.partition(" = ")[2]
        return found
