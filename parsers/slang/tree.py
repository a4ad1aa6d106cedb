"""Makes pyslang's syntax tree of a prepared text; nothing is read from the disk for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

DEEPEST = 4096
"""Levels of nesting that are read: arms of a chain of `else if` are levels too."""
VIRTUAL = "/\x01hdlgraph"
"""No such folder exists: what is not handed over in memory cannot be read."""


def parse_tree(path: str, headers: Iterable[tuple[str, str]], text: str) -> tuple[Any, Any, Any]:
    """Returns (syntax tree, source manager, main buffer) of a text.

    Args:
        path: of the file.
        headers: (name as written, text) of what it includes.
        text: prepared, with the macros that are defined before it.
    """
    import pyslang
    from pyslang import parsing, syntax

    manager = pyslang.SourceManager()
    manager.setDisableLocalIncludes(True)
    options = parsing.PreprocessorOptions()
    options.additionalIncludePaths = [VIRTUAL]
    options.maxIncludeDepth = 40
    lexer = parsing.LexerOptions()
    lexer.maxErrors = 100
    for name, content in headers:
        manager.assignText(f"{VIRTUAL}/{name}", content)
    buffer = manager.assignText(f"{VIRTUAL}/./{path}", text)
    parser = parsing.ParserOptions()
    parser.maxRecursionDepth = DEEPEST
    bag = pyslang.Bag([options, lexer, parser])
    return syntax.SyntaxTree.fromBuffer(buffer, manager, bag), manager, buffer


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
