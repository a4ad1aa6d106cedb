"""Reads what each unit of a compiled design became: parameters, ports, generates, instances.

slang elaborates units that have the same parameter values once; instances share that body, and
it is read once here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hdlgraph.index.elaborate.compilation import Compiled
from hdlgraph.store.design.elaborated import (
    Body,
    Branch,
    Child,
    Chosen,
    Elaborated,
    Value,
    Width,
)

VALUE_CHARS, TYPE_CHARS, CONDITION_CHARS = 200, 120, 200
MOST = 2_000_000
"""Instances, parameters and generate blocks of all bodies together."""
_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


class Bodies:
    """Reads the bodies of a design from its tops down."""

    def __init__(self, compiled: Compiled) -> None:
        from pyslang import ast

        self._kinds = ast.SymbolKind
        self._places = compiled.places
        self._root = compiled.compilation.getRoot()
        self._at: dict[str, int] = {}
        """Positions of bodies by the path of the instance that slang elaborated."""
        self._waiting: list[Any] = []
        self._units: dict[tuple[str, str, int], int] = {}
        self._chosen: list[Chosen] = []
        self._held = 0
        self.values: list[list[tuple[str, Any]]] = []
        """The nets and variables of each body, with the generate block that they stand in."""

    def read(self) -> Elaborated:
        """Returns the bodies below the tops."""
        tops = [(one.name, self._position(one)) for one in self._root.topInstances]
        found: list[Body] = []
        while len(found) < len(self._waiting) and self._held < MOST:
            found.append(self._body(self._waiting[len(found)]))
        truncated = ""
        if len(found) < len(self._waiting):
            truncated = f"more than {MOST:,} instances, parameters and generate blocks"
            found += [Body(self._unit(one.definition)) for one in self._waiting[len(found) :]]
        return Elaborated(
            tops=tuple(tops),
            units=tuple(self._chosen),
            bodies=tuple(found),
            truncated=truncated,
        )

    def _position(self, instance: Any) -> int:
        body = instance.canonicalBody or instance.body
        key = body.hierarchicalPath
        position = self._at.get(key)
        if position is None:
            position = self._at[key] = len(self._waiting)
            self._waiting.append(body)
        return position

    def _unit(self, definition: Any) -> int:
        path, line = self._places.of(definition.location)
        key = (definition.name, path, line)
        if key not in self._units:
            self._units[key] = len(self._chosen)
            kind = str(definition.definitionKind).rpartition(".")[2].lower()
            self._chosen.append(Chosen(definition.name, kind, path, line))
        return self._units[key]

    def _body(self, body: Any) -> Body:
        """Returns the record of one instance body of pyslang, and keeps its nets and variables."""
        kinds = self._kinds
        parameters, ports, branches, children, values = [], [], [], [], []
        for prefix, one in self._members(body):
            kind = one.kind
            if kind in (kinds.Parameter, kinds.TypeParameter):
                if not prefix:
                    parameters.append(_value(one, kind == kinds.TypeParameter))
            elif kind in (kinds.Net, kinds.Variable):
                values.append((prefix, one))
            elif kind == kinds.Port:
                ports.append(_width(one))
            elif kind == kinds.InterfacePort:
                ports.append(Width(one.name, "interface", "", 0))
            elif kind == kinds.GenerateBlock:
                branches.append(self._branch(prefix, one))
            elif kind == kinds.Instance:
                at = self._places.of(one.location)
                children.append(Child(prefix, self._position(one), *at))
            elif kind == kinds.UninstantiatedDef:
                at = self._places.of(one.location)
                children.append(Child(prefix, -1, *at, one.definitionName))
        self.values.append(values)
        self._held += 1 + len(parameters) + len(branches) + len(children)
        return Body(
            self._unit(body.definition),
            tuple(parameters),
            tuple(ports),
            tuple(branches),
            tuple(children),
        )

    def _members(self, body: Any) -> Iterator[tuple[str, Any]]:
        """Yields (path inside of the body, symbol) of what a unit and its generates hold.

        Of a plain member of a generate block the path is that of the block, with a dot; what a
        block holds that was not taken is not elaborated and left out.
        """
        kinds = self._kinds
        stack = [iter([("", one) for one in body])]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
                continue
            prefix, one = item
            kind = one.kind
            if kind == kinds.GenerateBlockArray:
                name = prefix + (one.name or one.externalName)
                stack.append(iter([(name, inner) for inner in one]))
            elif kind == kinds.GenerateBlock:
                index = one.arrayIndex
                name = f"{prefix}[{index}]" if index is not None else prefix + one.externalName
                yield name, one
                if not one.isUninstantiated:
                    stack.append(iter([(f"{name}.", inner) for inner in one]))
            elif kind == kinds.InstanceArray:
                name = prefix + one.name
                stack.append(iter([(name, inner) for inner in one]))
            elif kind in (kinds.Instance, kinds.UninstantiatedDef):
                index = "".join(f"[{i}]" for i in getattr(one, "arrayPath", ()))
                yield prefix + (index or one.name), one
            else:
                yield prefix, one

    def _branch(self, name: str, block: Any) -> Branch:
        at = self._places.of(block.location)
        return Branch(name, *at, not block.isUninstantiated, self._condition(block))

    def _condition(self, block: Any) -> str:
        """Returns what must hold for a block to be taken, "" where nothing is asked."""
        tested = block.conditionExpression
        if tested is None:
            return ""
        text = self._places.text(tested.sourceRange)
        way = str(block.branchKind).rpartition(".")[2]
        if way == "IfFalse":
            text = f"!({text})"
        elif way == "CaseItem":
            items = [self._places.text(one.sourceRange) for one in block.caseItemExpressions]
            text = f"{text} == {', '.join(items)}"
        elif way == "CaseDefault":
            text = f"{text}: default"
        return text[:CONDITION_CHARS]


def _value(parameter: Any, is_type: bool) -> Value:
    if is_type:
        text = str(parameter.targetType.type)[:VALUE_CHARS]
        return Value(parameter.name, text, local=parameter.isLocalParam)
    kind = parameter.type
    width = kind.bitWidth if kind.isIntegral else 0
    text = str(parameter.value)[:VALUE_CHARS]
    return Value(parameter.name, text, str(kind)[:TYPE_CHARS], width, parameter.isLocalParam)


def _width(port: Any) -> Width:
    direction = _DIRECTIONS.get(str(port.direction).rpartition(".")[2], "")
    kind = port.type
    width = kind.bitstreamWidth if kind.isFixedSize else 0
    return Width(port.name, direction, str(kind)[:TYPE_CHARS], width)
