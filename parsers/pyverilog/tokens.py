"""Takes the plain tokens of Verilog for PyVerilog's parser: most of a text, at a third of the cost.

Its lexer tries some seventy rules at each place, those of numbers and comments before that of
names. Names, signs and line ends can be told by their first character alone; all else is left to
it. That holds for the rules that were looked at, which `RULES` stands for; with others, as of
another version of PyVerilog, its lexer reads everything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

RULES = "56a3095fdd76cb01f3312a8142c88f0adc3c2ec2e1e271e4d134f2e664030638"
"""Hash of the rules of which this is true, see `rules_hash`."""
SIGNS = {
    "<<<": "LSHIFTA", ">>>": "RSHIFTA", "===": "EQL", "!==": "NEL", "&&": "LAND", "||": "LOR",
    "**": "POWER", "~&": "NAND", "~|": "NOR", "~^": "XNOR", "+:": "PLUSCOLON", "-:": "MINUSCOLON",
    "==": "EQ", "!=": "NE", "<=": "LE", ">=": "GE", "<<": "LSHIFT", ">>": "RSHIFT", "&": "AND",
    "|": "OR", "^": "XOR", "~": "NOT", "!": "LNOT", "<": "LT", ">": "GT", "+": "PLUS",
    "-": "MINUS", "*": "TIMES", "%": "MOD", "?": "COND", "=": "EQUALS", "@": "AT", ",": "COMMA",
    ";": "SEMICOLON", ":": "COLON", "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET",
    "]": "RBRACKET", "{": "LBRACE", "}": "RBRACE", "#": "DELAY", "$": "DOLLER",
}  # fmt: skip
"""The signs with the names of their tokens, those of several characters first."""
_PLAIN = re.compile(
    r"[ \t]*+(?:([A-Za-z_][A-Za-z_0-9$]*+)|(" + "|".join(map(re.escape, SIGNS)) + r")|(\n++))"
)


def rules_hash(lexer: Any) -> str:
    """Returns a hash of all rules of one of PLY's lexers, in the order in which they are tried."""
    rules = [(one.pattern, one.flags, lexer.lexignore) for one, _ in lexer.lexre]
    return hashlib.sha256(repr(rules).encode()).hexdigest()


def plain_first(lexer: Any) -> Callable[[], Any]:
    """Returns a function that gives PyVerilog's lexer's next token, as its own `token` does."""
    from ply.lex import LexToken

    own, reserved = lexer.lexer, lexer.reserved

    def token() -> Any:
        at, text = own.lexpos, own.lexdata
        while found := _PLAIN.match(text, at):
            at = found.end()
            if found[3]:
                own.lineno += at - found.start(3)
                continue
            one = LexToken()
            word = found[1]
            if word:
                one.type, one.value = reserved.get(word, "ID"), word
            else:
                word = found[2]
                one.type, one.value = SIGNS[word], word
            one.lineno, one.lexpos = own.lineno, at - len(word)
            own.lexpos = at
            return one
        own.lexpos = at
        return own.token()

    return token
