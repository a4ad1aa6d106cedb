"""Reads a file with tree-sitter-systemverilog, which survives broken and hostile text.

It sees both branches of every `ifdef and keeps instances where pyslang gives up; it knows no
macros. A fact belongs to the unit around its line, so that a lost `end` does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hdlgraph.parsers import limits
from hdlgraph.parsers.processes import process_of_text
from hdlgraph.parsers.text.directives import scopes_at
from hdlgraph.parsers.text.expressions import clean
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.treesitter.instances import read_instances

from hdlgraph.model import (
    Bind,
    Instance,
    Modport,
    NodeKind,
    Parameter,
    Port,
    Process,
    Routine,
    Scope,
    Signal,
    Type,
)

CONFIDENCE = 0.7
_UNITS = {
    "module_declaration": NodeKind.MODULE,
    "interface_declaration": NodeKind.INTERFACE,
    "program_declaration": NodeKind.PROGRAM,
    "package_declaration": NodeKind.PACKAGE,
    "class_declaration": NodeKind.CLASS,
    "interface_class_declaration": NodeKind.CLASS,
    "checker_declaration": NodeKind.CHECKER,
    "udp_declaration": NodeKind.PRIMITIVE,
}
_PROCESSES = {
    "always_construct": "always",
    "initial_construct": "initial",
    "final_construct": "final",
    "continuous_assign": "assign",
}
_INSTANTIATIONS = frozenset(
    {
        "module_instantiation",
        "interface_instantiation",
        "program_instantiation",
        "checker_instantiation",
    }
)
# Below these nothing is declared that a record keeps.
_LEAVES = frozenset(
    "expression constant_expression statement statement_or_null text_macro_usage "
    "text_macro_definition include_compiler_directive concurrent_assertion_item "
    "assertion_item_declaration covergroup_declaration class_constraint specify_block "
    "parameter_value_assignment list_of_port_connections function_statement_or_null".split()
)
_MAX_NODES = 3_000_000


@dataclass(slots=True)
class TreeUnit:
    """A unit that has a node of its own."""

    kind: str
    name: str
    line: int
    end_line: int
    parent: str
    extends: str = ""


@dataclass(slots=True)
class TreeFacts:
    """Facts of one tree, each with its line; `errors` counts the nodes that did not parse."""

    units: list[TreeUnit] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)
    port_names: list[tuple[str, int]] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    routines: list[Routine] = field(default_factory=list)
    modports: list[Modport] = field(default_factory=list)
    imports: list[tuple[str, int]] = field(default_factory=list)
    binds: list[Bind] = field(default_factory=list)
    errors: int = 0


def read_tree(inventory: Inventory) -> TreeFacts:
    """Returns the facts of a file's tree."""
    import tree_sitter
    import tree_sitter_systemverilog

    language = tree_sitter.Language(tree_sitter_systemverilog.language())
    tree = tree_sitter.Parser(language).parse(inventory.source.padded().encode("ascii"))
    return _TreeReader(inventory).read(tree.root_node)


class _TreeReader:
    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._bare = inventory.source.bare
        self._comments = inventory.comments
        self.facts = TreeFacts()
        self._handlers: dict[str, Callable[[Any], None]] = {
            "ansi_port_declaration": self._ansi_port,
            "port_declaration": self._port_declaration,
            "port": self._port_name,
            "parameter_declaration": self._parameters,
            "local_parameter_declaration": self._parameters,
            "type_parameter_declaration": self._parameters,
            "net_declaration": self._signals,
            "data_declaration": self._data,
            "function_declaration": self._routine,
            "task_declaration": self._routine,
            "method_prototype": self._routine,
            "class_constructor_declaration": self._routine,
            "modport_item": self._modport,
            "package_import_item": self._import,
            "bind_directive": self._bind,
            **dict.fromkeys(_PROCESSES, self._process),
        }

    def read(self, root: Any) -> TreeFacts:
        stack: list[tuple[Any, str, tuple[Scope, ...]]] = [(root, "", ())]
        seen = 0
        while stack and seen < _MAX_NODES:
            node, owner, scopes = stack.pop()
            seen += 1
            kind = node.type
            if kind in _UNITS:
                owner = self._unit(node, kind, owner) or owner
            elif kind in _INSTANTIATIONS:
                self._instances(node, scopes)
                continue
            elif kind == "ERROR":
                self.facts.errors += 1
            elif kind in _LEAVES:
                continue
            handler = self._handlers.get(kind)
            if handler is not None:
                handler(node)
                if kind not in ("ERROR", "data_declaration"):
                    continue
            inner = self._scoped(node, kind, scopes)
            for child in reversed(node.named_children):
                stack.append((child, owner, inner.get(child.id, scopes)))
        self.facts.instances.sort(key=lambda item: (item.line, item.name))
        return self.facts

    # Text and place

    def _text(self, node: Any, limit: int = 0) -> str:
        return clean(self._bare[node.start_byte : node.end_byte], limit) if node else ""

    def _line(self, node: Any) -> int:
        return int(node.start_point[0]) + 1

    def _end(self, node: Any) -> int:
        return int(node.end_point[0]) + 1

    # Units and scopes

    def _unit(self, node: Any, kind: str, owner: str) -> str:
        header = next((c for c in node.named_children if c.type.endswith("header")), node)
        name = header.child_by_field_name("name") or node.child_by_field_name("name")
        if name is None or name.is_missing:
            return ""
        base = ""
        if kind == "class_declaration":
            parent = next((c for c in node.named_children if c.type == "class_type"), None)
            base = self._text(parent).partition("#")[0].strip() if parent else ""
        self.facts.units.append(
            TreeUnit(
                kind=_UNITS[kind].value,
                name=self._text(name),
                line=self._line(name),
                end_line=self._end(node),
                parent=owner,
                extends=base,
            )
        )
        return self._text(name)

    def _scoped(
        self, node: Any, kind: str, scopes: tuple[Scope, ...]
    ) -> dict[int, tuple[Scope, ...]]:
        """Returns the scopes of the blocks of a generate construct, by node id."""
        if kind == "if_generate_construct":
            return self._if_scopes(node, scopes)
        if kind == "loop_generate_construct":
            parts = [c for c in node.named_children if c.type != "generate_block"]
            condition = "for " + "; ".join(self._text(c) for c in parts[:2]).replace("genvar ", "")
            return self._blocks(node, [condition], scopes)
        if kind == "case_generate_construct":
            subject = next((c for c in node.named_children if "expression" in c.type), None)
            return {
                item.id: (*scopes, Scope("", f"case ({self._text(subject)})", self._line(item)))
                for item in node.named_children
                if item.type == "case_generate_item"
            }
        return {}

    def _if_scopes(self, node: Any, scopes: tuple[Scope, ...]) -> dict[int, tuple[Scope, ...]]:
        condition = next((c for c in node.named_children if "expression" in c.type), None)
        text = self._text(condition, limits.EXPRESSION_CHARS)
        return self._blocks(node, [text, f"!({text})"], scopes)

    def _blocks(
        self, node: Any, conditions: list[str], scopes: tuple[Scope, ...]
    ) -> dict[int, tuple[Scope, ...]]:
        found = {}
        blocks = [c for c in node.named_children if "expression" not in c.type]
        blocks = [c for c in blocks if not c.type.startswith("genvar") and c.type != "comment"]
        for block, condition in zip(blocks, conditions, strict=False):
            label = self._text(block.child_by_field_name("name"))
            found[block.id] = (*scopes, Scope(label, condition, self._line(block)))
        return found

    # Members

    def _instances(self, node: Any, scopes: tuple[Scope, ...]) -> None:
        around = scopes_at(self._inventory.regions, self._line(node))
        self.facts.instances += read_instances(
            node, (*around, *scopes), self._text, self._comments, CONFIDENCE
        )

    def _bind(self, node: Any) -> None:
        children = node.named_children
        made = next((c for c in children if c.type in _INSTANTIATIONS), None)
        if made is None or not children:
            return
        target = self._text(children[0]).split("[")[0].split(":")[0].strip()
        for item in read_instances(made, (), self._text, self._comments, CONFIDENCE):
            self.facts.binds.append(
                Bind(target, item.unit, item.name, self._line(node), item.connections)
            )

    def _ansi_port(self, node: Any) -> None:
        name = node.child_by_field_name("port_name")
        if name is None:
            return
        header = next((c for c in node.named_children if c.type.endswith("port_header")), None)
        words = self._text(header)
        direction = next(iter(words.split()), "")
        if header is not None and header.type == "interface_port_header":
            direction, kind = "interface", words
        elif direction in ("input", "output", "inout", "ref"):
            kind = words.removeprefix(direction).strip()
        else:
            former = self.facts.ports[-1] if self.facts.ports else None
            direction = former.direction if former else "inout"
            kind = words or (former.type if former else "")
        self._add_port(name, direction, kind)

    def _add_port(self, name: Any, direction: str, kind: str) -> None:
        line = self._line(name)
        comment = self._comments.near(line)
        self.facts.ports.append(
            Port(self._text(name), direction, kind[: limits.TYPE_CHARS], line, comment)
        )

    def _port_declaration(self, node: Any) -> None:
        for declaration in node.named_children:
            direction = declaration.type.partition("_")[0]
            names = [c for c in declaration.named_children if c.type.startswith("list_of")]
            kind = " ".join(
                self._text(c) for c in declaration.named_children if not c.type.startswith("list")
            )
            for group in names:
                for name in group.named_children:
                    if name.type == "simple_identifier":
                        self._add_port(name, direction, kind)

    def _port_name(self, node: Any) -> None:
        self.facts.port_names.append((self._text(node).split("[")[0], self._line(node)))

    def _parameters(self, node: Any) -> None:
        keyword = "localparam" if node.type.startswith("local") else "parameter"
        kind = next((self._text(c) for c in node.named_children if c.type.startswith("data")), "")
        for item in _below(node, ("param_assignment", "type_assignment")):
            name, _, value = self._text(item).partition("=")
            line = self._line(item)
            is_type = item.type == "type_assignment"
            self.facts.parameters.append(
                Parameter(
                    name=name.split("[")[0].strip(),
                    kind="type" if is_type else keyword,
                    type="type" if is_type else kind[: limits.TYPE_CHARS],
                    default=value.strip()[: limits.EXPRESSION_CHARS],
                    line=line,
                    comment=self._comments.near(line),
                )
            )

    def _data(self, node: Any) -> None:
        typedef = next((c for c in node.named_children if c.type == "type_declaration"), None)
        if typedef is not None:
            self._typedef(typedef)
        elif not any(c.type == "package_import_declaration" for c in node.named_children):
            self._signals(node)

    def _signals(self, node: Any) -> None:
        parts = [c for c in node.named_children if not c.type.startswith("list_of")]
        kind = " ".join(self._text(c) for c in parts)[: limits.TYPE_CHARS]
        for item in _below(node, ("variable_decl_assignment", "net_decl_assignment")):
            name = item.child_by_field_name("name") or item.named_children[0]
            line = self._line(name)
            self.facts.signals.append(
                Signal(self._text(name), kind, line, self._comments.near(line))
            )

    def _typedef(self, node: Any) -> None:
        name = node.child_by_field_name("type_name")
        if name is None:
            return
        text = self._text(node, 400)
        words = text.split()
        kind = words[1] if len(words) > 1 and words[1] in ("enum", "struct", "union") else "alias"
        if kind == "enum":
            members = [
                self._text(c.named_children[0]) for c in _below(node, ("enum_name_declaration",))
            ]
        else:
            members = [
                self._text(c.child_by_field_name("name") or c)
                for c in _below(node, ("variable_decl_assignment",))
            ]
        line = self._line(node)
        comment = self._comments.of(line, self._line(name))
        self.facts.types.append(
            Type(self._text(name), kind, tuple(members), line, self._end(node), comment)
        )

    def _routine(self, node: Any) -> None:
        body = next((c for c in node.named_children if c.type.endswith("body_declaration")), node)
        name = body.child_by_field_name("name")
        text = self._text(name) if name else "new" if "constructor" in node.type else ""
        if text:
            line = self._line(node)
            kind = "task" if node.type.startswith("task") else "function"
            self.facts.routines.append(
                Routine(text, kind, line, self._end(node), self._comments.of(line))
            )

    def _modport(self, node: Any) -> None:
        ports: list[tuple[str, str]] = []
        for group in _below(node, ("modport_simple_ports_declaration",)):
            direction = ""
            for child in group.named_children:
                if child.type == "port_direction":
                    direction = self._text(child)
                else:
                    ports.append((direction, self._text(child)))
        name = self._text(node.named_children[0])
        self.facts.modports.append(Modport(name, tuple(ports), self._line(node)))

    def _import(self, node: Any) -> None:
        self.facts.imports.append((self._text(node).partition("::")[0], self._line(node)))

    def _process(self, node: Any) -> None:
        kind = _PROCESSES[node.type]
        if kind == "always":
            kind = self._text(node.named_children[0]) or kind
        process = process_of_text(
            self._bare[node.start_byte : node.end_byte],
            kind,
            self._line(node),
            self._end(node),
            self._comments.of(self._line(node)),
        )
        self.facts.processes.append(process)


def _below(node: Any, kinds: tuple[str, ...], depth: int = 6) -> Iterator[Any]:
    for child in node.named_children:
        if child.type in kinds:
            yield child
        elif depth:
            yield from _below(child, kinds, depth - 1)
