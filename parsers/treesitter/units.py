"""Makes the record of a file by tree-sitter: each fact goes to the unit around its line."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from hdlgraph.model import FileRecord, Layer, Port, Unit
from hdlgraph.parsers.draft import Draft
from hdlgraph.parsers.finish import Enclosing, assign_by_line
from hdlgraph.parsers.text.inventory import Inventory, unit_comment
from hdlgraph.parsers.treesitter.declared import Declared
from hdlgraph.parsers.treesitter.facts import TreeFacts
from hdlgraph.parsers.treesitter.instances import TREE
from hdlgraph.parsers.treesitter.reader import CONFIDENCE, read_tree


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """A record by tree-sitter and text alone, and how many nodes did not parse."""

    record: FileRecord
    errors: int


def read_tree_record(inventory: Inventory) -> TreeRecord:
    """Returns the record of a file by tree-sitter, over the units that its keywords tell."""
    facts = read_tree(inventory)
    declared = Declared(inventory.source)
    for name in ("ports", "parameters", "signals"):
        kept = [one for one in getattr(facts, name) if declared.is_name(one.name, one.line)]
        setattr(facts, name, kept)
    facts.port_names = [one for one in facts.port_names if declared.is_name(*one)]
    _set_conditions(facts, inventory)
    skeleton = _skeleton(inventory, facts)
    drafts = [_draft(unit) for unit in skeleton]
    outside = Draft("", "", 1, len(inventory.source.starts))
    _deal(facts, skeleton, drafts, outside)
    units, imports = assign_by_line([draft.finish() for draft in drafts], inventory)
    rest = outside.finish()
    record = msgspec.structs.replace(
        inventory.record,
        units=tuple(units),
        imports=tuple(dict.fromkeys([*rest.imports, *imports])),
        types=rest.types,
        routines=rest.routines,
        parameters=rest.parameters,
        binds=tuple(sorted(facts.binds, key=lambda bind: (bind.line, bind.target, bind.name))),
        layers=(Layer.TREE_SITTER.value, Layer.REGEX.value),
    )
    return TreeRecord(record, facts.errors)


def _set_conditions(facts: TreeFacts, inventory: Inventory) -> None:
    """Writes what the `ifdefs around the facts ask for into them."""
    conditions = inventory.conditions
    for name in ("ports", "parameters", "signals", "types", "routines", "binds"):
        listed = getattr(facts, name)
        for number, one in enumerate(listed if conditions else ()):
            if condition := conditions[one.line]:
                listed[number] = msgspec.structs.replace(one, condition=condition)


def _skeleton(inventory: Inventory, facts: TreeFacts) -> list[Unit]:
    """Returns the units of the tree and of the text, each once.

    The text knows better than the tree where a unit ends.
    """
    tree = {(unit.kind, unit.name, unit.line): unit for unit in facts.units}
    found = []
    for unit in inventory.record.units:
        match = next(
            (
                key
                for key in ((unit.kind, unit.name, unit.line + extra) for extra in range(4))
                if key in tree
            ),
            None,
        )
        if match is None:
            found.append(unit)
            continue
        other = tree.pop(match)
        layers = (Layer.TREE_SITTER.value, Layer.REGEX.value)
        found.append(
            msgspec.structs.replace(
                unit, extends=other.extends, layers=layers, confidence=CONFIDENCE
            )
        )
    found += [
        Unit(
            kind=unit.kind,
            name=unit.name,
            line=unit.line,
            end_line=unit.end_line,
            comment=unit_comment(inventory.comments, unit.line),
            parent=unit.parent,
            extends=unit.extends,
            layers=(Layer.TREE_SITTER.value,),
            confidence=CONFIDENCE,
        )
        for unit in tree.values()
    ]
    return sorted(found, key=lambda unit: (unit.line, -unit.end_line, unit.name))


def _draft(unit: Unit) -> Draft:
    return Draft(
        kind=unit.kind,
        name=unit.name,
        line=unit.line,
        end_line=unit.end_line,
        comment=unit.comment,
        parent=unit.parent,
        extends=unit.extends,
        layers=unit.layers,
        confidence=unit.confidence,
    )


def _deal(facts: TreeFacts, units: list[Unit], drafts: list[Draft], outside: Draft) -> None:
    """Gives each fact of a file to the draft of the unit around its line, others to `outside`."""
    enclosing = Enclosing(units)

    def owner(line: int) -> Draft:
        index = enclosing.at(line)
        return drafts[index] if index >= 0 else outside

    for name in (
        "parameters",
        "signals",
        "instances",
        "processes",
        "types",
        "routines",
        "modports",
    ):
        for item in getattr(facts, name):
            getattr(owner(item.line), name).append(item)
    for package, line in facts.imports:
        owner(line).imports.append((package, line))
    named: set[int] = set()
    for name, line in facts.port_names:
        draft = owner(line)
        named.add(id(draft))
        draft.ports.append(Port(name, "", "", line, witnesses=TREE))
    for port in facts.ports:
        draft = owner(port.line)
        (draft.declared_ports if id(draft) in named else draft.ports).append(port)
