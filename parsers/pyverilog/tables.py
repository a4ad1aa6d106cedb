"""Stored LALR tables of PyVerilog's grammar: to build them takes a second of processor time.

Every process that reads plain Verilog needs them. They are numbers that follow from the rules of
the grammar alone; the file names those rules by their hash. With another grammar, as of another
version of PyVerilog, they are not used and PLY builds its own.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

STORED = Path(__file__).with_name("tables.json.z")
Production = tuple[str, str, int, str | None, str, int]
"""Text, left side, length, name of the function to call, and a file and line of no meaning."""


class Tables(msgspec.Struct, frozen=True):
    """What PLY needs to parse with a grammar. `grammar`: hash of the rules (`grammar_hash`)."""

    grammar: str
    actions: dict[int, dict[str, int]]
    """By state and token: the next state, below zero the production to reduce by, zero to end."""
    gotos: dict[int, dict[str, int]]
    """By state and left side of a production: the next state."""
    productions: list[Production]


def encoded(tables: Tables) -> bytes:
    """Returns the content of the file, the same for the same tables."""
    return zlib.compress(json.dumps(msgspec.to_builtins(tables), sort_keys=True).encode(), 9)


def stored() -> Tables:
    """Returns the tables of the file beside this module."""
    return msgspec.json.decode(zlib.decompress(STORED.read_bytes()), type=Tables)


def grammar_hash(parser: Any) -> str:
    """Returns a hash of all that the tables follow from: rules in their order and tokens.

    White space of the rules does not count: Python 3.13 removes some of it from docstrings.
    """
    from ply.yacc import __tabversion__

    named = [getattr(parser, name) for name in dir(parser) if name.startswith("p_")]
    rules = [one for one in named if one.__name__ != "p_error"]
    rules.sort(key=lambda one: one.__code__.co_firstlineno)
    said = [[one.__name__, *(one.__doc__ or "").split()] for one in rules]
    order = [list(level) for level in getattr(parser, "precedence", ())]
    whole = [__tabversion__, list(parser.tokens), order, getattr(parser, "start", ""), said]
    return hashlib.sha256(msgspec.json.encode(whole)).hexdigest()


def as_module(tables: Tables) -> ModuleType:
    """Returns tables in the form in which PLY takes them from a module."""
    from ply.yacc import __tabversion__

    module = ModuleType("tables")
    vars(module).update(
        __file__=str(STORED),
        _tabversion=__tabversion__,
        _lr_method="LALR",
        _lr_signature="",  # of PLY's own; `grammar_hash` was compared before
        _lr_action=tables.actions,
        _lr_goto=tables.gotos,
        _lr_productions=tables.productions,
    )
    return module
