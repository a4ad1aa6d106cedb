"""What PyVerilog's tree says of each module: ports, parameters, instances and their actuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hdlgraph.parsers.text.expressions import GATES

_DIRECTIONS = {"Input": "input", "Output": "output", "Inout": "inout"}
_PARAMETERS = {"Parameter": "parameter", "Localparam": "localparam"}
_STATEMENTS = frozenset(("Always", "Assign", "Initial", "Function", "Task"))


@dataclass(frozen=True, slots=True)
class Actual:
    """What is handed to a port or parameter of an instance.

    `name` is that of the port or parameter, "" when `position` (0-based) counts. `node` is its
    expression in PyVerilog's tree, None for `.p()`; `names` and `constants` stand in it.
    """

    name: str
    position: int
    node: Any
    names: frozenset[str]
    constants: frozenset[str]


@dataclass(frozen=True, slots=True)
class ViewInstance:
    """An instance of `unit`; `labels` are the named generate blocks around it."""

    unit: str
    name: str
    overrides: tuple[Actual, ...]
    bindings: tuple[Actual, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewUnit:
    """A module. `ports` are (name, direction or ""), `parameters` (name, kind, node of default)."""

    name: str
    ports: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, str, Any], ...] = ()
    instances: tuple[ViewInstance, ...] = ()


def units_of(tree: Any) -> Iterator[ViewUnit]:
    """Yields the modules of a tree in the order of the text."""
    for definition in tree.description.definitions:
        if type(definition).__name__ == "ModuleDef":
            yield _unit(definition)


def _unit(definition: Any) -> ViewUnit:
    ports = definition.portlist.ports if definition.portlist else ()
    header = [getattr(port, "first", None) or port for port in ports]
    instances: list[ViewInstance] = []
    declared: list[Any] = list(definition.paramlist.params if definition.paramlist else ())
    _walk(definition.items or (), (), instances, declared)
    directions: dict[str, str] = {}
    parameters: dict[str, tuple[str, str, Any]] = {}
    for one in (*header, *_flat(declared)):
        kind = type(one).__name__
        if kind in _DIRECTIONS:
            directions[_plain(one.name)] = _DIRECTIONS[kind]
        elif kind in _PARAMETERS:
            name = _plain(one.name)
            parameters.setdefault(name, (name, _PARAMETERS[kind], one.value))
    names = [_plain(name) for port in header if (name := getattr(port, "name", ""))]
    return ViewUnit(
        name=_plain(definition.name),
        ports=tuple((name, directions.get(name, "")) for name in names),
        parameters=tuple(parameters.values()),
        instances=tuple(instances),
    )


def _plain(name: str) -> str:
    r"""Returns a name as the other readers have it: `\a+b ` without backslash and blank."""
    return name[1:].rstrip() if name.startswith("\\") else name


def _flat(items: Any) -> Iterator[Any]:
    for item in items:
        if type(item).__name__ == "Decl":
            yield from item.list
        else:
            yield item


def _walk(
    items: Any, labels: tuple[str, ...], instances: list[ViewInstance], declared: list[Any]
) -> None:
    """Collects instances and declarations below `items`, in the order of the text."""
    stack = [(item, labels) for item in reversed(tuple(items))]
    while stack:
        node, around = stack.pop()
        kind = type(node).__name__
        if kind == "InstanceList":
            if node.module not in GATES:
                instances.extend(_instance(node, item, around) for item in node.instances)
        elif kind == "Decl":
            declared.append(node)
        elif kind not in _STATEMENTS:
            inner = around
            if kind == "Block" and node.scope:
                inner = (*around, str(node.scope))
            stack.extend((child, inner) for child in reversed(node.children()))


def _instance(node: Any, item: Any, labels: tuple[str, ...]) -> ViewInstance:
    return ViewInstance(
        unit=_plain(node.module),
        name=_plain(item.name),
        overrides=_actuals(node.parameterlist, "paramname"),
        bindings=_actuals(item.portlist, "portname"),
        labels=labels,
    )


def _actuals(items: Any, attribute: str) -> tuple[Actual, ...]:
    found = []
    for position, item in enumerate(items or ()):
        names: set[str] = set()
        constants: set[str] = set()
        _read(item.argname, names, constants)
        found.append(
            Actual(
                name=_plain(getattr(item, attribute) or ""),
                position=position,
                node=item.argname,
                names=frozenset(names),
                constants=frozenset(constants),
            )
        )
    return tuple(found)


def _read(node: Any, names: set[str], constants: set[str]) -> None:
    """Collects the names that an expression reads (of `a.b` only `a`) and its numbers."""
    stack = [node] if node is not None else []
    while stack:
        one = stack.pop()
        kind = type(one).__name__
        if kind == "Identifier":
            labels = one.scope.labellist if one.scope else ()
            names.add(_plain(labels[0].name if labels else one.name))
        elif kind in ("IntConst", "FloatConst"):
            constants.add(plain_number(one.value))
        elif kind == "FunctionCall":
            stack.extend(one.args or ())
        elif kind != "StringConst":
            stack.extend(one.children())


def plain_number(text: str) -> str:
    """Returns a literal without its spaces and underscores, in small letters."""
    return "".join(str(text).split()).replace("_", "").lower()


def text_of(node: Any) -> str:
    """Returns an expression of PyVerilog's tree as Verilog on one line, "" for none."""
    if node is None:
        return ""
    if type(node).__name__ in ("Identifier", "IntConst", "FloatConst"):
        return repr(node)
    from pyverilog.ast_code_generator.codegen import ASTCodeGenerator

    return " ".join(str(ASTCodeGenerator().visit(node)).split())
