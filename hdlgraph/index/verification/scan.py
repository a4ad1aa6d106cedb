"""Reads verification code out of one file's text, whether its macros are known or not."""

from __future__ import annotations

from hdlgraph.index.verification.classes import aliases, classes, outline
from hdlgraph.index.verification.statements import acts
from hdlgraph.parsers.text.source import read_source
from hdlgraph.store.design.verification import CodeFile

_SIGNS = (b"class", b"uvm_", b"run_test", b'"DPI', b"covergroup", b"type_id")
"""What stands in files that are looked at more closely."""


def scan(data: bytes) -> CodeFile:
    """Returns the classes of a file's bytes and what its statements do; nothing of plain RTL."""
    if not any(sign in data for sign in _SIGNS):
        return CodeFile()
    source = read_source(data)
    if source.protected:
        return CodeFile()
    where = outline(source)
    found = classes(source, where.classes)
    inside = [(one.start, one.end) for one in where.classes]
    outer = source.code
    for start, end in reversed(inside):
        outer = outer[:start] + outer[end:]
    return CodeFile(found, tuple(acts(source, where)), tuple(aliases(outer)))
