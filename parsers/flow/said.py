"""The messages that checks of a file report: of $error, $fatal, $warning and UVM's macros."""

from __future__ import annotations

import re

from hdlgraph.model.flow import Said
from hdlgraph.parsers.text.inventory import Inventory

MOST = 500
"""Kept of one file."""
_CALL = re.compile(r"(?:\$(error|fatal|warning)|(uvm_(?:error|fatal|warning)))\s{0,8}\(")
_STARTS = ("$error", "$fatal", "$warning", "uvm_")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.){0,300})"')
_NEAR = 400
"""Characters behind the call in which its texts stand."""


def said_of(inventory: Inventory) -> tuple[Said, ...]:
    """Returns the messages in the order of the text; one without a text has "" as text."""
    source = inventory.source
    if not any(start in source.code for start in _STARTS):
        return ()
    found = []
    for call in _CALL.finditer(source.code):
        stop = source.code.find(";", call.end(), call.end() + _NEAR)
        stop = stop if stop >= 0 else call.end() + _NEAR
        stop = min(stop, len(source.bare))
        texts = [text[1] for text in _STRING.finditer(source.bare, call.end(), stop)]
        words = " ".join(" ".join(texts).split())
        found.append(Said(call[1] or call[2], source.line_of(call.start()), words[:300]))
        if len(found) >= MOST:
            break
    return tuple(found)
