"""Units and their members from a pyslang tree; dispatches on the kind of each member."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from hdlgraph.model import Assertion, Bind, NodeKind, Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.branches.join import Collected
from hdlgraph.parsers.draft import Draft
from hdlgraph.parsers.procedural_blocks import read_process
from hdlgraph.parsers.slang.generate_blocks import (
    Branch,
    case_branches,
    if_branches,
    loop_branch,
    opened,
)
from hdlgraph.parsers.slang.instances import read_binds, read_instances, read_overrides
from hdlgraph.parsers.slang.members import (
    TYPE_WORDS,
    read_assertion,
    read_modports,
    read_property,
    read_signals,
    read_type,
)
from hdlgraph.parsers.slang.places import NodeText, is_node
from hdlgraph.parsers.slang.ports import (
    body_ports,
    header_parameters,
    inner_names,
    read_parameters,
    read_ports,
)
from hdlgraph.parsers.slang.primitives import read_defparams, read_gates, read_primitive_ports
from hdlgraph.parsers.slang.routines import read_export, read_routine
from hdlgraph.parsers.text.expressions import GATES
from hdlgraph.parsers.text.inventory import Inventory, unit_comment

_KIND_OF_KEYWORD = {
    "module": NodeKind.MODULE,
    "macromodule": NodeKind.MODULE,
    "interface": NodeKind.INTERFACE,
    "program": NodeKind.PROGRAM,
    "package": NodeKind.PACKAGE,
}
_PROCESS_KINDS = {
    "AlwaysBlock": "always",
    "AlwaysCombBlock": "always_comb",
    "AlwaysFFBlock": "always_ff",
    "AlwaysLatchBlock": "always_latch",
    "InitialBlock": "initial",
    "FinalBlock": "final",
    "ContinuousAssign": "assign",
}


class UnitReader:
    """Reads the units of one syntax tree."""

    def __init__(self, tree: Any, at: NodeText, inventory: Inventory) -> None:
        self._root = tree.root
        self._at = at
        self._inventory = inventory
        self._units: list[Draft] = []
        self._binds: list[Bind] = []
        self._whole = at.is_first
        """Whether to read members that an earlier tree has read already."""
        self._handlers: dict[str, Callable[[Any, Draft, tuple[Scope, ...]], None]] = {
            name.removeprefix("_on_"): getattr(self, name) for name in _handlers()
        }

    def collect(self) -> Collected:
        """Returns the facts of the tree; of a later tree those that no earlier one has read."""
        outside = Draft("", "", 1, len(self._inventory.source.starts))
        root = self._root
        members = root.members if root.kind._name_ == "CompilationUnit" else [root]
        self._members(members, outside, ())
        return Collected(self._units, outside, self._binds)

    def _members(self, members: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        for member in members:
            if not is_node(member) or not (self._whole or self._at.touches(member)):
                continue
            name = member.kind._name_
            kind = _PROCESS_KINDS.get(name)
            if kind:
                process = read_process(member, kind, self._at)
                if process:
                    draft.processes.append(process)
                continue
            handler = self._handlers.get(name)
            if handler:
                handler(member, draft, scopes)

    # Units

    def _on_ModuleDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        header = node.header
        unit = self._begin(
            _KIND_OF_KEYWORD.get(header.moduleKeyword.valueText, NodeKind.MODULE).value,
            header.name,
            node,
            draft,
        )
        if unit is None:
            return
        whole, self._whole = self._whole, self._whole or self._at.fresh(unit.line)
        for item in header.imports:
            self._on_PackageImportDeclaration(item, unit, ())
        if self._whole or self._at.touches(header):
            unit.parameters += header_parameters(header.parameters, self._at)
            unit.ports += read_ports(header, self._at)
            unit.inner_names |= inner_names(header)
        self._members(node.members, unit, ())
        self._whole = whole

    _on_InterfaceDeclaration = _on_ModuleDeclaration
    _on_ProgramDeclaration = _on_ModuleDeclaration
    _on_PackageDeclaration = _on_ModuleDeclaration

    def _on_ClassDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        unit = self._begin(NodeKind.CLASS.value, node.name, node, draft)
        if unit is None:
            return
        unit.parameters += header_parameters(node.parameters, self._at)
        if node.extendsClause is not None:
            base = node.extendsClause.baseName
            unit.extends = self._at.text(base).partition("#")[0].strip()
            last = getattr(base, "right", base)
            unit.base_parameters = read_overrides(getattr(last, "parameters", None), self._at)
        if node.implementsClause is not None:
            listed = [one for one in node.implementsClause.interfaces if is_node(one)]
            unit.implements = [self._at.text(one).partition("#")[0].strip() for one in listed]
        self._members(node.items, unit, ())

    def _on_CheckerDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        unit = self._begin(NodeKind.CHECKER.value, node.name, node, draft)
        if unit is not None:
            self._members(node.members, unit, ())

    def _on_UdpDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        unit = self._begin(NodeKind.PRIMITIVE.value, node.name, node, draft)
        if unit is not None:
            unit.ports += read_primitive_ports(node, self._at)

    def _begin(self, kind: str, name: Any, node: Any, draft: Draft) -> Draft | None:
        line = self._at.token_line(name)
        if not line or not name.valueText:
            return None
        start = self._at.line(node) or line
        unit = Draft(
            kind=kind,
            name=name.valueText,
            line=line,
            end_line=max(self._at.end_line(node), line),
            comment=unit_comment(self._inventory.comments, start),
            parent=draft.name,
        )
        self._units.append(unit)
        return unit

    # Generate constructs

    def _on_GenerateRegion(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._members(node.members, draft, scopes)

    def _on_GenerateBlock(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._members(node.members, draft, scopes)

    def _on_LoopGenerate(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._branches((loop_branch(node, self._at),), draft, scopes)

    def _on_IfGenerate(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._branches(if_branches(node, self._at), draft, scopes)

    def _on_CaseGenerate(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._branches(case_branches(node, self._at), draft, scopes)

    def _branches(
        self, branches: Iterable[Branch], draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        for branch in branches:
            members, scope = opened(branch, self._at)
            self._members(members, draft, (*scopes, scope))

    # Members

    def _on_HierarchyInstantiation(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        draft.instances += read_instances(node, scopes, self._at)

    _on_CheckerInstantiation = _on_HierarchyInstantiation

    def _on_PrimitiveInstantiation(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        if node.type.valueText in GATES:
            draft.gates += read_gates(node, self._at)
        else:  # a primitive of the user with a delay or a strength
            draft.instances += read_instances(node, scopes, self._at)

    def _on_DefParam(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.defparams += read_defparams(node, self._at)

    def _on_BindDirective(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        self._binds += read_binds(node, self._at, draft.name)

    def _on_PackageImportDeclaration(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        for item in node.items:
            if is_node(item):
                line = self._at.token_line(item.package)
                if line:
                    draft.imports.append((item.package.valueText, line))
                draft.all_names |= item.item.valueText == "*"

    def _on_ParameterDeclarationStatement(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        declaration = node.parameter
        draft.parameters += read_parameters(declaration, declaration.keyword.valueText, self._at)
        if not self._at.line(node):
            names = (item.name.valueText for item in declaration.declarators if is_node(item))
            draft.others.update(names)

    def _on_PortDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.declared_ports += body_ports(node, self._at)

    def _on_DataDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        kind = self._at.text(node.type, limits.TYPE_CHARS)
        draft.signals += read_signals(node, kind, _labels(scopes), self._at)
        if node.type.kind._name_ in TYPE_WORDS:
            owner = next((item for item in node.declarators if is_node(item)), None)
            if owner is not None:
                draft.types += read_type(owner.name, node.type, node, self._at)

    def _on_NetDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        kind = f"{node.netType.valueText} {self._at.text(node.type)}".strip()
        kind = kind[: limits.TYPE_CHARS]
        draft.signals += read_signals(node, kind, _labels(scopes), self._at)

    def _on_CheckerDataDeclaration(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        self._on_DataDeclaration(node.data, draft, scopes)

    def _on_ClassPropertyDeclaration(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        self._members([node.declaration], draft, scopes)

    def _on_TypedefDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.types += read_type(node.name, node.type, node, self._at)
        if node.type.kind._name_ == "EnumType" and not self._at.line(node):
            members = node.type.members
            draft.others.update(item.name.valueText for item in members if is_node(item))

    def _on_FunctionDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.routines += read_routine(node.prototype, node, self._at)

    _on_TaskDeclaration = _on_FunctionDeclaration
    _on_ClassMethodPrototype = _on_FunctionDeclaration

    def _on_ClassMethodDeclaration(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        draft.routines += read_routine(node.declaration.prototype, node, self._at)

    def _on_DPIImport(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.routines += read_routine(node.method, node, self._at, "import")

    def _on_DPIExport(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.exports += read_export(node, self._at)

    def _on_GenvarDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.others.update(item.identifier.valueText for item in node.identifiers if is_node(item))

    def _on_ModportDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.modports += read_modports(node, self._at)

    def _on_ConcurrentAssertionMember(
        self, node: Any, draft: Draft, scopes: tuple[Scope, ...]
    ) -> None:
        draft.assertions += read_assertion(node, self._at)

    _on_ImmediateAssertionMember = _on_ConcurrentAssertionMember

    def _on_PropertyDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        draft.assertions += read_property(node, self._at)

    _on_SequenceDeclaration = _on_PropertyDeclaration

    def _on_CovergroupDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        line = self._at.line(node)
        if line:
            draft.assertions.append(Assertion(node.name.valueText, "covergroup", line))

    def _on_ClockingDeclaration(self, node: Any, draft: Draft, scopes: tuple[Scope, ...]) -> None:
        line, name = self._at.line(node), node.blockName.valueText
        if line and name:
            event = self._at.text(node.event, limits.EXPRESSION_CHARS)
            draft.assertions.append(Assertion(name, "clocking", line, event))


@cache
def _handlers() -> tuple[str, ...]:
    """Returns the names of the methods that read one kind of member each."""
    return tuple(name for name in dir(UnitReader) if name.startswith("_on_"))


def _labels(scopes: tuple[Scope, ...]) -> str:
    return ".".join(scope.label for scope in scopes if scope.label)
