"""Reads a file with pyslang; its package is the only one that imports that library.

pyslang may crash or never return on hostile input, so callers run it in a worker process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from hdlgraph.model import Diagnostic, FileRecord, Layer
from hdlgraph.parsers import limits
from hdlgraph.parsers.flow.collect import collect_flows
from hdlgraph.parsers.flow.said import said_of
from hdlgraph.parsers.slang.places import NodeText
from hdlgraph.parsers.slang.units import UnitReader
from hdlgraph.parsers.stubs import Prepared, Preparer
from hdlgraph.parsers.text.inventory import Inventory

_QUIET = re.compile(r"UnknownDirective|CouldNotOpenInclude|Expected(?:Package|Interface)")


@dataclass(frozen=True, slots=True)
class SlangResult:
    """The record by slang, how many hard errors its tree has, and the text after preprocessing.

    `unread`: the same text with what slang's tree leaves out because of hard errors, else "".
    """

    record: FileRecord
    hard_errors: int
    preprocessed: str = ""
    unread: str = ""


def read_slang(
    inventory: Inventory, preparer: Preparer, *, preprocessed: bool = False
) -> SlangResult:
    """Returns the inventory's record with the facts of the syntax tree in it."""
    record = inventory.record
    prepared = preparer.prepare(record.path, inventory.source)
    tree, manager, buffer = parse_tree(record.path, prepared)
    at = NodeText(manager, buffer.id, prepared.shift, inventory, prepared.stubs)
    reader = UnitReader(tree, at, inventory)
    facts = reader.read()
    diagnostics, errors = _diagnostics(tree, manager, buffer.id, prepared, inventory)
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
        flows=collect_flows(tree.root, at),
        said=said_of(inventory),
    )
    text = preprocess(tree, manager) if preprocessed else ""
    unread = preprocess(tree, manager, skipped=True) if preprocessed and errors else ""
    return SlangResult(merged, errors, text, unread)


def parse_tree(path: str, prepared: Prepared) -> tuple[Any, Any, Any]:
    """Returns (syntax tree, source manager, main buffer) of a prepared text."""
    import pyslang
    from pyslang import parsing, syntax

    manager = pyslang.SourceManager()
    manager.setDisableLocalIncludes(True)
    options = parsing.PreprocessorOptions()
    options.additionalIncludePaths = [_VIRTUAL]
    options.maxIncludeDepth = 40
    lexer = parsing.LexerOptions()
    lexer.maxErrors = 100
    for name, text in prepared.headers:
        manager.assignText(f"{_VIRTUAL}/{name}", text)
    buffer = manager.assignText(f"{_VIRTUAL}/./{path}", prepared.text)
    bag = pyslang.Bag([options, lexer])
    return syntax.SyntaxTree.fromBuffer(buffer, manager, bag), manager, buffer


# No such folder exists: what is not handed over in memory cannot be read.
_VIRTUAL = "/\x01hdlgraph"


def preprocess(tree: Any, manager: Any, *, skipped: bool = False) -> str:
    """Returns the text of a tree with macros expanded and without directives and comments.

    Args:
        tree: the syntax tree.
        manager: its source manager.
        skipped: whether tokens that slang's grammar rejects are in the text.
    """
    from pyslang import syntax

    printer = syntax.SyntaxPrinter(manager)
    printer.setIncludeComments(False).setIncludeDirectives(False).setExpandMacros(True)
    printer.setExpandIncludes(True).setIncludeSkipped(skipped)
    return printer.print(tree).str()


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
        found.append(Diagnostic(Layer.SLANG.value, "error", line, _words(code)))
    return tuple(found), errors


def _words(code: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", code).lower()
