"""Reads a file with tree-sitter-systemverilog, which survives broken and hostile text.

It sees both branches of every `ifdef and keeps instances where pyslang gives up; it knows no
macros. A fact belongs to the unit around its line, so that a lost `end` does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hdlgraph.model import (
    Bind,
    Modport,
    NodeKind,
    Parameter,
    Port,
    Routine,
    Scope,
    Signal,
    Type,
)
from hdlgraph.parsers import limits
from hdlgraph.parsers.finish import direction_of
from hdlgraph.parsers.procedural_blocks import process_of_text
from hdlgraph.parsers.text.directives import scopes_at
from hdlgraph.parsers.text.expressions import clean
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.treesitter.facts import TreeFacts, TreeUnit
from hdlgraph.parsers.treesitter.generate_blocks import block_scopes
from hdlgraph.parsers.treesitter.instances import TREE, read_instances

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
_MODPORT_PORTS = {
    "modport_simple_ports_declaration": "",
    "modport_tf_ports_declaration": "",
    "modport_clocking_declaration": "clocking",
}
"""Kinds of ports in a modport; the direction of those that write none."""
# Below these nothing is declared that a record keeps.
_LEAVES = frozenset(
    """expression constant_expression statement statement_or_null text_macro_usage
        text_macro_definition include_compiler_directive concurrent_assertion_item
        assertion_item_declaration covergroup_declaration class_constraint specify_block
        parameter_value_assignment list_of_port_connections function_statement_or_null
        package_export_declaration""".split()
)
_MAX_NODES = 3_000_000


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
        self._blocks: dict[int, tuple[Scope, ...]] = {}
        """Scopes of generate blocks, and of an `if` behind an `else`, by node id."""
        self._handlers: dict[str, Callable[[Any], None]] = {
            "ansi_port_declaration": self._ansi_port,
            "port_declaration": self._port_declaration,
            "port": self._port_name,
            "parameter_declaration": self._parameters,
            "local_parameter_declaration": self._parameters,
            "type_parameter_declaration": self._parameters,
            "list_of_param_assignments": self._parameters,
            "net_declaration": self._signals,
            "data_declaration": self._data,
            "function_declaration": self._routine,
            "task_declaration": self._routine,
            "function_prototype": self._routine,
            "task_prototype": self._routine,
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
            if node.id not in self._blocks:
                self._blocks |= block_scopes(node, scopes, self._text)
            stack.extend(
                (child, owner, self._blocks.get(child.id, scopes))
                for child in reversed(node.named_children)
            )
        self.facts.instances.sort(key=lambda item: (item.line, item.name))
        return self.facts

    # Text and place

    def _text(self, node: Any, limit: int = 0) -> str:
        return clean(self._bare[node.start_byte : node.end_byte], limit) if node else ""

    def _name(self, node: Any) -> str:
        """Returns the text of an identifier; an escaped one without its backslash."""
        return self._text(node).removeprefix("\\")

    def _line(self, node: Any) -> int:
        return int(node.start_point[0]) + 1

    def _end(self, node: Any) -> int:
        return int(node.end_point[0]) + 1

    # Units and scopes

    def _unit(self, node: Any, kind: str, owner: str) -> str:
        header = next((c for c in node.named_children if c.type.endswith("header")), node)
        name = header.child_by_field_name("name") or node.child_by_field_name("name")
        if name is None or name.is_missing or node.children[0].type == "extern":
            return ""
        base = ""
        if kind == "class_declaration":
            parent = next((c for c in node.named_children if c.type == "class_type"), None)
            base = self._text(parent).partition("#")[0].strip() if parent else ""
        self.facts.units.append(
            TreeUnit(
                kind=_UNITS[kind].value,
                name=self._name(name),
                line=self._line(name),
                end_line=self._end(node),
                parent=owner,
                extends=base,
            )
        )
        return self._name(name)

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
                Bind(target, item.unit, item.name, self._line(node), item.connections, TREE)
            )

    def _ansi_port(self, node: Any) -> None:
        name = node.child_by_field_name("port_name")
        if name is None:
            return
        header = next((c for c in node.named_children if c.type.endswith("port_header")), None)
        words = self._text(header)
        inner = {c.type: self._text(c) for c in node.named_children}
        if header is None and "expression" in inner:  # `input .name(expression)`
            direction = inner.get("port_direction", "")
            self._add_port(name, direction, inner["expression"] if direction else "")
            return
        direction = next(iter(words.split()), "")
        if header is not None and header.type == "interface_port_header":
            self._add_port(name, "interface", words)
            return
        former = self.facts.ports[-1] if self.facts.ports else None
        if direction in ("input", "output", "inout", "ref"):
            kind = words.removeprefix(direction).strip()
        elif words:
            kind = words
            direction = direction_of(kind, former.direction if former else "")
        else:
            direction = former.direction if former else "inout"
            kind = former.type if former else ""
        self._add_port(name, direction, f"{kind} {self._dimensions(node)}".strip())

    def _add_port(self, name: Any, direction: str, kind: str) -> None:
        line = self._line(name)
        comment = self._comments.near(line)
        self.facts.ports.append(
            Port(self._name(name), direction, kind[: limits.TYPE_CHARS], line, comment, TREE)
        )

    def _port_declaration(self, node: Any) -> None:
        for declaration in node.named_children:
            direction = declaration.type.partition("_")[0]
            names = [c for c in declaration.named_children if c.type.startswith("list_of")]
            kind = ("." if direction == "interface" else " ").join(
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
        holder = node
        if node.type == "list_of_param_assignments" and node.parent.type.endswith("declaration"):
            holder = node.parent  # `#(int A = 1)` has its type beside the list
        kind = next((self._text(c) for c in holder.named_children if c.type.startswith("data")), "")
        for item in _below(node, ("param_assignment", "type_assignment")):
            name, _, value = self._text(item).partition("=")
            line = self._line(item)
            is_type = item.type == "type_assignment"
            of_kind = "type" if is_type else f"{kind} {self._dimensions(item)}".strip()
            self.facts.parameters.append(
                Parameter(
                    name=name.split("[")[0].strip().removeprefix("\\"),
                    kind="type" if is_type and keyword == "parameter" else keyword,
                    type=of_kind[: limits.TYPE_CHARS],
                    default=value.strip()[: limits.EXPRESSION_CHARS],
                    line=line,
                    comment=self._comments.near(line),
                    witnesses=TREE,
                )
            )

    def _dimensions(self, node: Any) -> str:
        """Returns the unpacked dimensions of a declared name."""
        return "".join(self._text(c) for c in node.named_children if c.type.endswith("dimension"))

    def _data(self, node: Any) -> None:
        typedef = next((c for c in node.named_children if c.type == "type_declaration"), None)
        if typedef is not None:
            self._typedef(typedef)
        elif not any(c.type == "package_import_declaration" for c in node.named_children):
            self._signals(node)

    def _signals(self, node: Any) -> None:
        parts = [c for c in node.named_children if not c.type.startswith("list_of")]
        kind = " ".join(self._text(c) for c in parts)[: limits.TYPE_CHARS]
        lists = [c for c in node.named_children if c.type.startswith("list_of")]
        for item in (item for group in lists for item in group.named_children):
            if item.type not in ("variable_decl_assignment", "net_decl_assignment"):
                continue
            name = item.child_by_field_name("name") or item.named_children[0]
            line = self._line(name)
            of_kind = f"{kind} {self._dimensions(item)}".strip()
            self.facts.signals.append(
                Signal(self._name(name), of_kind, line, self._comments.near(line))
            )

    def _typedef(self, node: Any) -> None:
        name = node.child_by_field_name("type_name")
        if name is None:
            return
        made_of = [c for c in node.named_children if c.id != name.id]
        written = self._text(made_of[0]) if made_of else ""
        word = written.partition(" ")[0].partition("{")[0]
        kind = word if word in ("enum", "struct", "union") else "alias"
        if not made_of:  # `typedef class later;` says only that there will be one
            return
        if kind == "enum":
            members = [
                self._text(c.named_children[0]) for c in _below(node, ("enum_name_declaration",))
            ]
        elif kind == "alias":
            members = [clean(written, limits.TYPE_CHARS)]
        else:
            members = [
                self._text(c.child_by_field_name("name") or c)
                for c in _below(node, ("variable_decl_assignment",))
            ]
        line = self._line(node)
        comment = self._comments.of(line, self._line(name))
        self.facts.types.append(
            Type(self._name(name), kind, tuple(members), line, self._end(node), comment)
        )

    def _routine(self, node: Any) -> None:
        if any(c.type == "ERROR" for c in node.named_children):
            return  # the grammar takes the name of a prototype without a type for the type
        if node.parent.type.startswith("dpi_"):
            return  # slang reads imports from C; what it loses is left out of explanations
        body = next((c for c in node.named_children if c.type.endswith("body_declaration")), node)
        name = body.child_by_field_name("name")
        text = self._name(name) if name else "new" if "constructor" in node.type else ""
        scope = next((c for c in body.named_children if c.type == "class_scope"), None)
        text = self._text(scope) + text
        if text:
            line = self._line(node)
            kind = "task" if node.type.startswith("task") else "function"
            self.facts.routines.append(
                Routine(text, kind, line, self._end(node), self._comments.of(line))
            )

    def _modport(self, node: Any) -> None:
        ports: list[tuple[str, str]] = []
        for group in _below(node, tuple(_MODPORT_PORTS)):
            direction = _MODPORT_PORTS[group.type]
            for child in group.named_children:
                if child.type in ("port_direction", "import_export"):
                    direction = self._text(child)
                else:
                    ports.append(
                        (direction, self._text(child.child_by_field_name("name") or child))
                    )
        name = self._text(node.named_children[0])
        self.facts.modports.append(Modport(name, tuple(ports), self._line(node)))

    def _import(self, node: Any) -> None:
        self.facts.imports.append((self._text(node).partition("::")[0], self._line(node)))

    def _process(self, node: Any) -> None:
        kind = _PROCESSES[node.type]
        if kind == "always":
            kind = self._text(node.named_children[0]) or kind
        left = ("net_lvalue", "variable_lvalue")
        assigned = [self._text(c) for c in _below(node, left)] if kind == "assign" else None
        process = process_of_text(
            self._bare[node.start_byte : node.end_byte],
            kind,
            self._line(node),
            self._end(node),
            self._comments.of(self._line(node)),
            assigned,
        )
        self.facts.processes.append(process)


def _below(node: Any, kinds: tuple[str, ...], depth: int = 6) -> Iterator[Any]:
    for child in node.named_children:
        if child.type in kinds:
            yield child
        elif depth:
            yield from _below(child, kinds, depth - 1)
