"""Makes legal Verilog readable for PyVerilog: takes out what its grammar rejects."""

from __future__ import annotations

import re

_ATTRIBUTE = re.compile(r"\(\*(?!\s*\))[\s\S]*?\*\)")
_OPENS_ATTRIBUTE = re.compile(r"\(\*(?!\s*\))")
_SPACED_LITERAL = re.compile(r"(\d)\s+('[sS]?[bodhBODH])\s*(?=[0-9a-fA-FxXzZ?_])")
_LITERAL_GAP = re.compile(r"('[sS]?[bodhBODH])\s+(?=[0-9a-fA-FxXzZ?_])")
_FORMAL = re.compile(
    r"\b(?:\w+\s*:\s*)?(?:assert|assume|cover|restrict)\s*(?:property\s*)?"
    r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)\s*;"
)
_SPECIFY = re.compile(r"\bspecify\b[\s\S]*?\bendspecify\b")
_DEFPARAM = re.compile(r"\bdefparam\b[^;]*;")
_TIME_UNIT = re.compile(r"\btime(?:unit|precision)\b[^;]*;")
_BARE_PARAMETER = re.compile(r"#\s*\(\s*(?=[A-Za-z_]\w*\s*=(?!=))(?!parameter\b|localparam\b)")
_SPLIT_CALL = re.compile(r"\$(\w+)\$(?=\w)")
_REPEAT = re.compile(r"\brepeat\b(?=\s*\()")
_EVENT = re.compile(r"event(?<!\wevent)\s+[\w\s,]+;|->\s*\w+\s*;")
_EMPTY_STATEMENTS = re.compile(r";(?:\s*;)+")
_SPACED_QUOTE = re.compile(r"'(?<=\s')[sS]?[bodhBODH]")
_CALLED = re.compile(r"(?:assert|assume|cover|restrict)\s*(?:property\s*)?\(")
_FIRST = {_SPACED_LITERAL: _SPACED_QUOTE, _FORMAL: _CALLED}
"""A part of each match that is found at less cost, as its first character is seldom."""


_STEPS: tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...] = (
    (("(*",), _ATTRIBUTE, " "),
    (("'",), _SPACED_LITERAL, r"\1\2"),
    (("'",), _LITERAL_GAP, r"\1"),
    (("specify",), _SPECIFY, " "),
    (("timeunit", "timeprecision"), _TIME_UNIT, " "),
    (("assert", "assume", "cover", "restrict"), _FORMAL, ";"),
    (("defparam",), _DEFPARAM, " "),
    (("#",), _BARE_PARAMETER, "#(parameter "),
    (("$",), _SPLIT_CALL, r"$\1_"),
    # Statements are not compared; any loop stands for any other.
    (("repeat",), _REPEAT, "while"),
    (("event", "->"), _EVENT, " "),
    ((";",), _EMPTY_STATEMENTS, ";"),
)
"""(texts, pattern, what takes its place): a pattern is tried where one of the texts stands, as
looking for those costs a tenth of it."""


_REMOVED = tuple(
    one
    for texts, pattern, _ in _STEPS
    if pattern in (_SPECIFY, _TIME_UNIT, _FORMAL, _DEFPARAM, _EVENT)
    for one in texts
)


def keeps_words(text: str) -> bool:
    """Returns whether `repair` surely leaves each word and each sign but numbers in a text."""
    # Not the whole pattern: a hostile text takes minutes, and nobody counts them here.
    return not any(one in text for one in _REMOVED) and not _OPENS_ATTRIBUTE.search(text)


def repair(text: str) -> str:
    """Returns text without what PyVerilog's grammar rejects although it is legal."""
    text = text.replace("\r\n", "\n")
    for texts, pattern, instead in _STEPS:
        first = _FIRST.get(pattern)
        if any(one in text for one in texts) and (first is None or first.search(text)):
            text = pattern.sub(instead, text)
    return text
