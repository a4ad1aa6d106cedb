"""Makes legal Verilog readable for PyVerilog: takes out what its grammar rejects."""

from __future__ import annotations

import re

_ATTRIBUTE = re.compile(r"\(\*(?!\s*\))[\s\S]*?\*\)")
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
_EVENT = re.compile(r"\bevent\s+[\w\s,]+;|->\s*\w+\s*;")
_EMPTY_STATEMENT = re.compile(r"(?<=;)\s*;")


def repair(text: str) -> str:
    """Returns text without what PyVerilog's grammar rejects although it is legal."""
    text = text.replace("\r\n", "\n")
    text = _ATTRIBUTE.sub(" ", text)
    text = _SPACED_LITERAL.sub(r"\1\2", text)
    text = _LITERAL_GAP.sub(r"\1", text)
    text = _SPECIFY.sub(" ", text)
    text = _TIME_UNIT.sub(" ", text)
    text = _FORMAL.sub(";", text)
    text = _DEFPARAM.sub(" ", text)
    text = _BARE_PARAMETER.sub("#(parameter ", text)
    text = _SPLIT_CALL.sub(r"$\1_", text)
    # Statements are not compared; any loop stands for any other.
    text = _REPEAT.sub("while", text)
    text = _EVENT.sub(" ", text)
    return _EMPTY_STATEMENT.sub("", text)
