"""The plain tokens for PyVerilog's parser are those of its own lexer."""

from pathlib import Path

import pytest

from hdlgraph.parsers.pyverilog.tokens import RULES, SIGNS, plain_first, rules_hash

DESIGNS = Path(__file__).parents[1] / "designs"
ODD = [
    "",
    " \t",
    "\n\n x\n",
    "a\\b c$ $d _e9 1.5 .5 a.b 3.. 4e2 5 6_7 ? 8'hx 'b0 2'sd1 4'O7 /* y\n */ z // x\n`w a b\nv",
    '"text" "a\\"b" "open\n \\esc+aped (* keep *) é ~ ~~ === = == !== << <<< <<<= **** +:: --:',
    " ".join(SIGNS),
    "".join(SIGNS),
]


def _lexer():
    from pyverilog.vparser.lexer import VerilogLexer

    lexer = VerilogLexer(error_func=lambda *_: None)
    lexer.build()
    return lexer


def _stream(lexer, text: str) -> list:
    lexer.reset_lineno()
    lexer.input(text)
    found = []
    while one := lexer.token():
        found.append((one.type, one.value, one.lineno, one.lexpos))
    return [*found, lexer.lexer.lineno, lexer.lexer.lexpos]


def test_the_installed_lexer_has_the_rules_that_were_looked_at() -> None:
    assert rules_hash(_lexer().lexer) == RULES


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts_give_the_same_tokens(text: str) -> None:
    quick = _lexer()
    quick.token = plain_first(quick)
    assert _stream(quick, text) == _stream(_lexer(), text)


def test_designs_give_the_same_tokens() -> None:
    own, quick = _lexer(), _lexer()
    quick.token = plain_first(quick)
    paths = sorted(path for path in DESIGNS.rglob("*.*v") if path.stat().st_size < 50_000)[:100]
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        assert _stream(quick, text) == _stream(own, text), path
