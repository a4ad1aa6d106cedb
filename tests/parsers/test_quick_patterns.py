"""Patterns that begin with a letter or a sign find what their plain spelling finds."""

import random
import re

import pytest

from hdlgraph.parsers import finish
from hdlgraph.parsers.operations import conditions
from hdlgraph.parsers.pyverilog import parse, repair
from hdlgraph.parsers.text import directives, expressions, fallback, inventory
from hdlgraph.parsers.text.source import line_starts

PIECES = (
    *("a", "_b1", "$c", "9", "é", "`M", "``", "::", ":", " ", "\t", "\n", ";", ",", ".", "(", ")"),
    *("#(", "[1:0]", "{", "}", "'", "'{", "'0", "8'h1", "+=", "==", "++", "--", "=>", "->", ".*"),
    *("type_id", "create", "type_id::create(", "m_t#(x)::", "logic", "int", "xint", "byte$"),
    *("begin", "end", "if", "endmodule", "module", "assert", "property", "event", "typedef", '"'),
)
_HEAD = (
    r"^[ \t]*([A-Za-z_][\w$]*)[ \t\r\n]+(?:#[ \t\r\n]*\(((?:[^()]|\((?:[^()]|\([^()]*\)){0,200}\))"
    r"{0,400})\)[ \t\r\n]*)?([A-Za-z_][\w$]*)"
)
_PLAIN_INSTANCE = re.compile(_HEAD + r"[ \t]*(?:\[[^\]\n]*\][ \t]*)?\(", re.MULTILINE)
_PLAIN_SCOPE = re.compile(r"(?<![\w$.`:])([A-Za-z_]\w*)\s*::\s*([A-Za-z_]\w*|\*)")
_PLAIN_NAME = re.compile(r"(?<![\w$.`'])(?<!::)([A-Za-z_][\w$]*)(?![\w$])(?!\s*(?:::|\())")
_PLAIN_SYSTEMVERILOG = re.compile(
    rf"(?<![\w$.`'])(?:{'|'.join(inventory._SV_WORDS)})(?![\w$])"
    r"|'[{01xz]|::|\(\s*\.\*|,\s*\.\*|\+\+|--(?!-)|[-+|&^*]=(?!=)"
    r"|\.[A-Za-z_]\w*\s*[,)]\s*(?=[.)])"
)
_PLAIN_FOREIGN = re.compile(
    r"::|'\{|[(,]\s*\.\*|\b(?:import|typedef|modport|covergroup|endpackage|endinterface|endclass|"
    r"endprogram|endproperty|endclocking)\b"
)


def _texts() -> list[str]:
    chance = random.Random(7)
    return ["".join(chance.choices(PIECES, k=chance.randint(1, 60))) for _ in range(3000)]


TEXTS = _texts()


class _Asked:
    """What `_package_uses` asks of an inventory; the place of a use stands for its line."""

    def __init__(self, code: str) -> None:
        self.source = self
        self.code = code
        self.line_of = int


def test_uses_of_packages() -> None:
    for text in TEXTS:
        wanted = [
            (one[1], one.start())
            for one in _PLAIN_SCOPE.finditer(text)
            if one[1] not in finish._NO_PACKAGE and one[2] not in finish._NO_MEMBER
        ]
        assert finish._package_uses(_Asked(text)) == wanted, text


def test_uses_of_the_factory() -> None:
    for text in TEXTS:
        wanted = [(one[1], one.start()) for one in finish._FACTORY.finditer(text)]
        assert list(finish._factory_uses(text)) == wanted, text


def test_names_and_instances() -> None:
    for text in TEXTS:
        assert expressions._NAME.findall(text) == _PLAIN_NAME.findall(text), text
        found = fallback._INSTANCE.finditer("\n" + text)
        wanted = _PLAIN_INSTANCE.finditer(text)
        assert [(one[1], one[3], one.start(3) - 1) for one in found] == [
            (one[1], one[3], one.start(3)) for one in wanted
        ], text


def test_languages() -> None:
    for text in TEXTS:
        assert inventory._is_systemverilog(text) == bool(_PLAIN_SYSTEMVERILOG.search(text)), text
        assert parse._is_foreign(text) == bool(_PLAIN_FOREIGN.search(text)), text


@pytest.mark.parametrize(
    ("quick", "plain"),
    [
        (directives._USE, r"(?<!`)`([A-Za-z_]\w*)"),
        (conditions._TOKEN, r"\b(?:begin|end|if)\b"),
        (repair._EVENT, r"\bevent\s+[\w\s,]+;|->\s*\w+\s*;"),
        (parse._CONCURRENT, r"\bassert\s+property\b"),
    ],
)
def test_patterns(quick: re.Pattern, plain: str) -> None:
    for text in TEXTS:
        found = [one.span() for one in quick.finditer(text)]
        assert found == [one.span() for one in re.finditer(plain, text)], text


def test_words_that_a_repair_keeps() -> None:
    kept = [text for text in TEXTS if repair.keeps_words(text) and parse._is_foreign(text)]
    assert len(kept) > 100
    assert all(parse._is_foreign(repair.repair(text)) for text in kept)


def test_lines_begin_behind_line_ends() -> None:
    for text in ("", "\n", "a", "a\n", "\n\nb\r\nc"):
        assert line_starts(text) == [0, *(one.end() for one in re.finditer("\n", text))]
