"""Cuts code without comments into the words that the outline of its statements needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.parsers.text.expressions import KEYWORDS

OPENING = frozenset(["(", "[", "{"])
CLOSING = frozenset([")", "]", "}"])
ASSIGNING = frozenset(["=", "<=", "op="])
_DIRECTIVE = re.compile(
    r"`(?:define\b(?:\\\r?\n|[^\n])*|(?:include|timescale|pragma|line|begin_keywords)\b[^\n]*"
    r"|(?:ifdef|ifndef|elsif|undef|default_nettype)\b[ \t]*\w*"
    r"|(?:else|endif|resetall|celldefine|endcelldefine|end_keywords|undefineall)\b)"
)
_ATTRIBUTE = re.compile(r"\(\*(?!\s*\))[^;]{0,400}?\*\)")
_TOKEN = re.compile(
    r"\d*\s?'[sS]?[bodhBODH]\s?[\dA-Fa-fxXzZ_?]+|'[01xXzZ](?!\w)|\d[\w.]*"
    r"|[`$]?[A-Za-z_][\w$]*|\\\S+(?=\s)"
    r"|(?P<op>[-+*/%&|^]=(?!=)|<<<?=|>>>?=|\+\+|--)|[=!]==?=?|<=|>=|->|=>|::|[()\[\]{};:,.#@=]"
)


def without_directives(code: str) -> str:
    """Returns code with compiler directives and attributes blanked; offsets and lines stay.

    What stands between conditional directives stays: of an `ifdef both branches are read.
    """
    if "`" in code:
        code = _DIRECTIVE.sub(_blank, code)
    return _ATTRIBUTE.sub(_blank, code) if "(*" in code else code


def _blank(found: re.Match[str]) -> str:
    return "\n".join(" " * len(part) for part in found[0].split("\n"))


def tokens(code: str) -> tuple[list[str], list[int]]:
    """Returns the words of a piece of code and their offsets in the code.

    An assignment such as `+=` and the counting `++` become the word `op=`.
    """
    words, offsets = [], []
    for found in _TOKEN.finditer(code):
        words.append("op=" if found.lastgroup else found[0])
        offsets.append(found.start())
    return words, offsets


def identifier(word: str) -> bool:
    """Returns whether a word is a name that a design may give, not a keyword or a number."""
    return (word[0].isalpha() or word[0] in "_\\") and word not in KEYWORDS


def declared(code: str) -> Iterator[str]:
    """Yields the names that a declaration declares: those before a comma, a value or the end."""
    depth, value, name = 0, False, ""
    for word in tokens(code)[0]:
        if word in OPENING:
            depth += 1
            name = "" if word == "(" and depth == 1 else name
        elif word in CLOSING:
            depth = max(depth - 1, 0)
        elif depth == 0 and word in (",", ";", "="):
            if name and not value:
                yield name
            value, name = word == "=", ""
        elif depth == 0:
            name = word if identifier(word) else ""
    if name and not value:
        yield name
