"""The stored tables of PyVerilog's grammar are those that PLY builds, and only a short cut.

HDLGRAPH_WRITE_GOLDEN=1 writes them anew, as another version of PyVerilog needs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hdlgraph.parsers.pyverilog import parse, tables
from hdlgraph.parsers.pyverilog.tables import STORED, Tables, encoded, grammar_hash, stored

TEXT = "module a(input x, output y);\n  b u_b(.x(x));\n  assign y = x + 1 * 2;\nendmodule\n"


@pytest.fixture(scope="module")
def from_rules() -> tuple[Any, Tables]:
    """A parser whose tables PLY built just now, and those tables."""
    from ply import yacc

    made: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        begun = yacc.LRGeneratedTable.__init__

        def build(table: Any, *given: Any, **named: Any) -> None:
            begun(table, *given, **named)
            made.append(table)

        patch.setattr(yacc.LRGeneratedTable, "__init__", build)
        parser = parse.built(use_stored=False)
    [table] = made
    rules = [(one.str, one.name, one.len, one.func, "", 0) for one in table.lr_productions]
    return parser, Tables(grammar_hash(parser), table.lr_action, table.lr_goto, rules)


def units(parser: Any) -> tuple[Any, ...]:
    from hdlgraph.parsers.pyverilog.view import units_of

    parser.lexer.reset_lineno()
    return tuple(units_of(parser.parse(TEXT)))


def test_the_stored_tables_are_those_of_the_grammar(from_rules: tuple[Any, Tables]) -> None:
    _, wanted = from_rules
    if os.environ.get("HDLGRAPH_WRITE_GOLDEN"):
        STORED.write_bytes(encoded(wanted))
    assert stored() == wanted


def test_both_tables_read_the_same(
    from_rules: tuple[Any, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    parser, _ = from_rules
    monkeypatch.setattr("ply.yacc.LRGeneratedTable", None)  # the stored ones need none
    [unit] = units(parse.built(use_stored=True))
    assert [unit] == list(units(parser))
    assert unit.name == "a"


def test_tables_of_another_grammar_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_rules: tuple[Any, Tables]
) -> None:
    other = msgspec.structs.replace(stored(), grammar="other", actions={}, gotos={})
    (tmp_path / "tables").write_bytes(encoded(other))
    monkeypatch.setattr(tables, "STORED", tmp_path / "tables")
    assert units(parse.built(use_stored=True)) == units(from_rules[0])


def test_the_hash_tells_rules_apart_but_not_their_white_space() -> None:
    class One:
        tokens = ("A", "B")

        def p_rule(self, p: Any) -> None:
            "rule : A B"

    class Spaced(One):
        def p_rule(self, p: Any) -> None:
            """rule : A
            B"""

    class Other(One):
        def p_rule(self, p: Any) -> None:
            "rule : B A"

    class More(One):
        tokens = ("A", "B", "C")

    hashes = [grammar_hash(kind()) for kind in (One, Spaced, Other, More)]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3
