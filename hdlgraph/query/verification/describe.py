"""What an answer says of a class, a test, a key of the configuration database, a DPI function."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from hdlgraph.model import EdgeKind, Location
from hdlgraph.query.verification.benches import Benches, class_dict, test_dict
from hdlgraph.query.verification.components import connections, made, tree
from hdlgraph.query.verification.config import Setting, Settings
from hdlgraph.query.verification.library import Class, Library
from hdlgraph.query.verification.links import (
    Link,
    Links,
    by_name,
    item_of,
    placer,
    sequencer_of,
    started_class,
)
from hdlgraph.store.design.verification import ListedTest, TestList

DRIVEN = frozenset(("agent", "sequencer", "driver"))
"""Roles of classes that sequences drive."""


class Described:
    """Describes the parts of the verification of one design."""

    def __init__(self, benches: Benches, links: Links, settings: Settings) -> None:
        self.benches, self.links, self.settings = benches, links, settings
        self.library: Library = benches.library
        self.code = benches.code

    def of_class(self, one: Class, limit: int) -> dict[str, Any]:
        """Returns a class with its bases, the components below it, and who uses it."""
        library = self.library
        below = tree(library, one)
        joined = [item.to_dict() for item in self._joined(one)]
        starts = self._starts(one)
        listed = [
            {**test_dict(test), "list": each.name}
            for each, test in self.listed()
            if one.name in (test.test, test.sequence)
        ]
        return {
            **class_dict(library, one),
            "chain": [class_dict(library, link) for link in library.chain(one)[1:]],
            "tree": below,
            "n_components": _size(below) - 1,
            **_cut("connections", joined, limit),
            **_cut("overrides", list(self._overrides(one)), limit),
            **_cut("starts", starts, limit),
            **_cut("used_by", self._used_by(one), limit),
            **_cut("tests", listed, limit),
            **_cut("driven_by", self._driven_by(one), limit),
            **_cut("settings", self._settings_of(one), limit),
        }

    def _driven_by(self, one: Class) -> list[dict[str, Any]]:
        """Returns the sequences that send the items of an agent, sequencer or driver, by name.

        Those that something starts come first, each with the places.
        """
        item = item_of(self.library, one) if self.library.role(one)[0] in DRIVEN else ""
        found = []
        for each in self._sequences_of.get(item, ()) if item else ():
            starts = [link for link in self.links.into(each) if link.kind == EdgeKind.STARTS]
            places = [{"class": link.source.name, "location": link.location} for link in starts]
            found.append({**class_dict(self.library, each), "item": item, "started": places})
        return sorted(found, key=lambda each: (not each["started"], each["name"], each["path"]))

    @cached_property
    def _sequences_of(self) -> dict[str, list[Class]]:
        """Returns the sequences of each class of items."""
        found: dict[str, list[Class]] = {}
        for one in self.library.all():
            if self.library.role(one)[0] == "sequence":
                found.setdefault(item_of(self.library, one), []).append(one)
        return found

    def _settings_of(self, one: Class) -> list[dict[str, Any]]:
        """Returns the keys that a class sets and gets, its own first, then those of near bases."""
        library = self.library
        near = {link.row: far for far, link in enumerate(library.chain(one)) if link.known}
        found = []
        for setting in (*self.settings.sets, *self.settings.gets):
            owner = setting.act.owner
            row = library.row_of(owner, setting.path) if owner else -1
            if row in near:
                base = owner if row != one.row else ""
                record = {"act": setting.act.kind, **setting.to_dict(), "base": base}
                found.append((near[row], record))
        return [record for _, record in sorted(found, key=lambda each: each[0])]

    def _used_by(self, one: Class) -> list[dict[str, Any]]:
        """Returns the edges into a class, then the overrides by which it replaces another."""
        placed = [link for link in self.links.out(one) if link.kind == EdgeKind.OVERRIDES]
        return [
            *(link_dict(link, link.source) for link in self.links.into(one)),
            *(
                link_dict(link, placer(self.library, link), f"in the place of {link.target.name}")
                for link in placed
            ),
        ]

    def _joined(self, one: Class) -> Iterator[Any]:
        """Yields the TLM connections of a class and of the components below it, each once."""
        seen: set[tuple[str, int, int]] = set()
        front, done = [one], {one.row}
        while front:
            scope = front.pop(0)
            for item in connections(self.library, scope):
                key = (item.placed.path, item.placed.act.line, scope.row)
                if key not in seen:
                    seen.add(key)
                    yield item
            for link in self.links.out(scope):
                if link.kind == "CREATES" and link.target.row not in done:
                    done.add(link.target.row)
                    front.append(link.target)

    def _starts(self, one: Class) -> list[dict[str, Any]]:
        """Returns the sequences that a class starts, its own first, then those of near bases."""
        library, found = self.library, []
        near = {link.row: far for far, link in enumerate(library.chain(one))}
        for placed in sorted(library.placed(one, "start"), key=lambda each: near[each.scope.row]):
            of, named = started_class(library, placed), by_name(library, placed)
            if of is None or not of.name:
                continue
            if of.known and library.role(of)[0] != "sequence":
                continue
            found.append(
                {
                    "sequence": of.name,
                    "defined": str(Location(of.path, of.line)) if of.known else "",
                    "by_name": named.how if named else "",
                    "may_be": [class_dict(library, each) for each in named.classes]
                    if named
                    else [],
                    "variable": placed.act.left,
                    "sequencer": sequencer_of(library, placed),
                    "how": placed.act.how,
                    "base": placed.scope.name if placed.scope.row != one.row else "",
                    "location": str(Location(placed.path, placed.act.line)),
                }
            )
        return found

    def _overrides(self, one: Class) -> Iterator[dict[str, Any]]:
        for link in self.library.chain(one):
            for act in self.library.acts(link):
                if act.kind == "override":
                    yield {
                        "asked": act.left,
                        "made": act.right,
                        "under": act.detail,
                        "condition": act.condition,
                        "how": act.how,
                        "base": link.name if link.row != one.row else "",
                        "location": str(Location(link.path, act.line)),
                    }

    def listed(self) -> Iterator[tuple[TestList, ListedTest]]:
        """Yields the tests of all lists with their list."""
        for one in self.code.lists:
            for test in one.tests:
                yield one, test

    def of_test(self, list_: TestList, test: ListedTest, limit: int) -> dict[str, Any]:
        """Returns a test of a list: its class, its sequence, its environment, its testbench."""
        benches, library = self.benches, self.library
        rows = benches.running(list_)
        near = benches.units.paths[rows[0]] if rows else test.path
        of_test = library.meant(test.test, near) if test.test else None
        sequence = library.meant(test.sequence, near) if test.sequence else None
        envs = [
            item.of
            for item in (made(library, of_test) if of_test is not None and of_test.known else ())
            if library.role(item.of)[0] == "env"
        ]
        overrides = [
            one
            for each in (of_test, sequence)
            if each is not None and each.known
            for one in self._overrides(each)
        ]
        goals = [
            {"name": one.name, "location": str(Location(one.path or list_.plan, one.line))}
            for one in list_.goals
            if test.name in one.tests
        ]
        starter = sequence if sequence is not None else of_test
        starts = self._starts(starter) if starter is not None and starter.known else []
        return {
            **test_dict(test),
            "list": list_.name,
            "unit": list_.unit,
            "benches": [benches.units.place(row) for row in rows],
            "class": class_dict(library, of_test) if of_test else None,
            "sequence_class": class_dict(library, sequence) if sequence else None,
            "sequence_chain": [
                class_dict(library, one)
                for one in (library.chain(sequence)[1:] if sequence and sequence.known else ())
            ],
            "envs": [class_dict(library, one) for one in envs],
            **_cut("overrides", overrides, limit),
            **_cut("starts", starts, limit),
            "goals": goals[:limit],
        }

    def of_key(self, key: str, limit: int) -> dict[str, Any]:
        """Returns who sets and who reads a key of the configuration database."""
        pairs = self.settings.pairs(key)
        sets = [one for one in self.settings.sets if one.act.left == key]
        gets = [one for one in self.settings.gets if one.act.left == key]
        sets += [one for one, _ in pairs if one not in sets]
        gets += [other for _, other in pairs if other not in gets]
        read, written = {id(one.act) for one, _ in pairs}, {id(two.act) for _, two in pairs}
        return {
            "name": key,
            **_cut("sets", [{**s.to_dict(), "matched": id(s.act) in read} for s in sets], limit),
            **_cut("gets", [{**s.to_dict(), "matched": id(s.act) in written} for s in gets], limit),
            **_cut("pairs", [_pair(one, other) for one, other in pairs], limit),
        }

    def of_function(self, name: str) -> list[dict[str, Any]]:
        """Returns the DPI imports and exports of a name, in SystemVerilog or C, with the C code."""
        return [one for one in self.functions() if name in (one["name"], one["foreign"])]

    def functions(self) -> list[dict[str, Any]]:
        """Returns all DPI imports and exports with the lines of C that have their names."""
        in_c: dict[str, list[Any]] = {}
        for function in self.code.functions:
            in_c.setdefault(function.name, []).append(function)
        found = []
        for path, file in self.code.files:
            for act in file.acts:
                if act.kind in ("import", "export"):
                    bodies = sorted(in_c.get(act.right, ()), key=lambda one: not one.is_body)
                    found.append(
                        {
                            "name": act.left,
                            "foreign": act.right,
                            "dpi": act.kind,
                            "location": str(Location(path, act.line)),
                            "c": [
                                {
                                    "location": str(Location(one.path, one.line)),
                                    "is_body": one.is_body,
                                }
                                for one in bodies
                            ],
                        }
                    )
        return found

    def overview(self, limit: int) -> dict[str, Any]:
        """Returns the testbenches of the design, and keys that are set or read in vain."""
        unread = [one.to_dict() for one in self.settings.unread()]
        unset = [one.to_dict() for one in self.settings.unset()]
        return {
            **_cut("testbenches", self._testbenches, limit),
            **_cut("unread", unread, limit),
            **_cut("unset", unset, limit),
        }

    @cached_property
    def _testbenches(self) -> list[dict[str, Any]]:
        units = self.benches.units
        found = []
        for row, kind in enumerate(units.kinds):
            if kind in ("module", "program"):
                bench = units.bench(row, list(units.parents(row)))
                tests = units.runs(row) or units.file_role(row) == "testbench"
                if bench and tests and any(units.children(row)):
                    found.append(self._brief(row, bench))
        found.sort(key=lambda one: (one["bench"] != "uvm", -one["n_tests"], one["path"]))
        return found

    def _brief(self, row: int, bench: str) -> dict[str, Any]:
        units = self.benches.units
        lists = self.benches.lists_of(row)
        interfaces = ("interface",)
        below = [
            units.names[child]
            for child, _, _ in units.children(row)
            if units.kinds[child] not in interfaces
        ]
        return {
            **units.place(row),
            "bench": bench,
            "units": list(dict.fromkeys(below))[:10],
            "lists": [one.name for one in lists],
            "n_tests": sum(len(one.tests) for one in lists),
        }


def link_dict(link: Link, other: Class, text: str = "") -> dict[str, Any]:
    """Returns an edge as JSON has it, with the class at its other end."""
    return {
        "kind": str(link.kind),
        "class": other.name,
        "defined": str(Location(other.path, other.line)),
        "text": text or link.text,
        "location": link.location,
    }


def _pair(one: Setting, other: Setting) -> dict[str, Any]:
    return {
        "key": one.act.left,
        "set": str(Location(one.path, one.act.line)),
        "get": str(Location(other.path, other.act.line)),
        "types": sorted(one.types & other.types),
    }


def _cut(name: str, items: list[Any], limit: int) -> dict[str, Any]:
    return {name: items[:limit], f"n_{name}": len(items)}


def _size(node: dict[str, Any]) -> int:
    return 1 + sum(_size(child) for child in node["children"])
