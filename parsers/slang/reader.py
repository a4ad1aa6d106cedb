"""Reads a file with pyslang; its package is the only one that imports that library.

pyslang may crash or never return on hostile input, so callers run it in a worker process. The
branches of `ifdefs that its preprocessor leaves out are read by further trees of the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from hdlgraph.model import Diagnostic, FileRecord, Layer
from hdlgraph.parsers import limits
from hdlgraph.parsers.branches.chains import chains_of
from hdlgraph.parsers.branches.choose import choices
from hdlgraph.parsers.flow.collect import collect_flows, encoded
from hdlgraph.parsers.flow.join import Reading, join_flows
from hdlgraph.parsers.flow.regions import with_regions
from hdlgraph.parsers.flow.said import said_of
from hdlgraph.parsers.slang.places import NodeText
from hdlgraph.parsers.slang.taken import taken_branches, unread
from hdlgraph.parsers.slang.tree import DEEPEST, parse_tree, preprocess
from hdlgraph.parsers.slang.units import UnitReader
from hdlgraph.parsers.stubs import Prepared, Preparer
from hdlgraph.parsers.text.inventory import Inventory

_DEEP = "ParseTreeTooDeep"
_QUIET = re.compile(r"UnknownDirective|CouldNotOpenInclude|Expected(?:Package|Interface)")


@dataclass(frozen=True, slots=True)
class SlangResult:
    """The record by slang, how many hard errors its tree has, and the text after preprocessing.

    `unread`: the same text with what slang's tree leaves out because of hard errors, else "".
    `taken`: (unit, name) of the instances in the branches that slang takes by itself.
    """

    record: FileRecord
    hard_errors: int
    preprocessed: str = ""
    unread: str = ""
    taken: frozenset[tuple[str, str]] = frozenset()


def read_slang(
    inventory: Inventory, preparer: Preparer, *, preprocessed: bool = False
) -> SlangResult:
    """Returns the inventory's record with the facts of the syntax trees in it."""
    record = inventory.record
    prepared = preparer.prepare(record.path, inventory.source)
    tree, manager, buffer = parse_tree(record.path, prepared.headers, prepared.text)
    at = NodeText(manager, buffer.id, prepared, inventory)
    collected = UnitReader(tree, at, inventory).collect()
    diagnostics, errors = _diagnostics(tree, manager, buffer.id, prepared, inventory)
    first = frozenset((one.unit, one.name) for unit in collected.units for one in unit.instances)
    deep: list[str] = []
    flows, later = collect_flows(tree.root, at, deep), []
    aside: list[tuple[int, int]] = []
    for other, place in other_branches(inventory, prepared, broken=errors > 0):
        if place.repairs:
            collected.forget({one.line for one in diagnostics})
        collected.join(UnitReader(other, place, inventory).collect(), place)
        later.append(Reading(collect_flows(other.root, place, deep), place))
        aside += () if place.repairs else place.lines
    facts = collected.finish(inventory)
    merged = msgspec.structs.replace(
        record,
        units=facts.units,
        imports=facts.imports,
        types=facts.types,
        routines=facts.routines,
        parameters=facts.parameters,
        binds=facts.binds,
        diagnostics=diagnostics,
        layers=(Layer.SLANG.value, *record.layers),
        flows=encoded(with_regions(join_flows(flows, later), inventory, aside)),
        said=said_of(inventory),
        borrowed=prepared.borrowed,
        degraded=_too_deep(diagnostics, deep),
    )
    text = preprocess(tree, manager) if preprocessed else ""
    left = preprocess(tree, manager, skipped=True) if preprocessed and errors else ""
    return SlangResult(merged, errors, text, left, first)


def other_branches(
    inventory: Inventory, prepared: Prepared, *, broken: bool = False
) -> Iterator[tuple[Any, NodeText]]:
    """Yields trees of the branches that slang does not take by itself, as few as cover all.

    The second value places their nodes; what it finds `fresh` no tree before has read. Where the
    first tree is broken (an `else that says "define one of these" is enough), the first sound one
    `repairs` it.
    """
    if not inventory.regions:
        return
    path, chains = inventory.record.path, chains_of(inventory.source)
    if not chains.telling():
        return
    taken = taken_branches(path, chains, prepared, inventory.source)
    if not unread(chains, taken):
        return
    text = prepared.text[prepared.shift :]
    for choice in choices(chains, taken, prepared.known, text):
        decided = prepared.decided(choice.text, choice.defines)
        tree, manager, buffer = parse_tree(path, decided.headers, decided.text)
        repairs = broken and not _diagnostics(tree, manager, buffer.id, decided, inventory)[1]
        broken = broken and not repairs
        yield tree, NodeText(manager, buffer.id, decided, inventory, choice.lines, repairs)


def _diagnostics(
    tree: Any, manager: Any, buffer: Any, prepared: Prepared, inventory: Inventory
) -> tuple[tuple[Diagnostic, ...], int]:
    found: list[Diagnostic] = []
    errors = 0
    for item in tree.diagnostics:
        code = str(item.code).removeprefix("DiagCode(").removesuffix(")")
        if not item.isError() or _QUIET.search(code):
            continue
        location = manager.getFullyExpandedLoc(item.location)
        if location.buffer != buffer or location.offset < prepared.shift:
            continue
        errors += 1
        if len(found) >= limits.DIAGNOSTICS:
            continue
        line = inventory.source.line_of(location.offset - prepared.shift)
        severity = "note" if code == _DEEP else "error"  # legal code may be nested at any depth
        found.append(Diagnostic(Layer.SLANG.value, severity, line, _words(code)))
    return tuple(found), errors


def _too_deep(diagnostics: Iterable[Diagnostic], units: list[str]) -> str:
    """Returns what is not read as the code is nested too deep, "" for nothing."""
    lines = [one.line for one in diagnostics if one.text == _words(_DEEP)]
    if lines:
        return f"nested too deep at line {min(lines)}: slang reads {DEEPEST} levels"
    named = ", ".join(units[:5]) + (" ..." if units[5:] else "")
    return f"nested too deep: nothing is told of the signals of {named}" if units else ""


def _words(code: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", code).lower()
