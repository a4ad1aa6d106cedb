"""Macros that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hdlgraph.model import FileRecord
from hdlgraph.query.unused.records import Finding
from hdlgraph.query.unused.texts import Texts

_USE = re.compile(r"`(?:(define|undef|ifdef|ifndef|elsif)\s+)?([A-Za-z_]\w*)")
_DIRECTIVES = frozenset({"define", "undef", "include", "endif", "else", "timescale", "line"})


def unused_macros(texts: Texts, records: Sequence[FileRecord]) -> Iterator[Finding]:
    """Yields the macros that no file expands or asks for.

    That an `ifndef asks for a macro that the same file then gives a value is no use of it.
    """
    used: set[str] = set()
    guarded: dict[str, set[str]] = {}
    for path in texts.paths:
        for word, name in _USE.findall(texts.of(path).code):
            if word == "ifndef":
                guarded.setdefault(name, set()).add(path)
            elif word in ("ifdef", "elsif") or (not word and name not in _DIRECTIVES):
                used.add(name)
    for record in records:
        for macro in record.macros:
            asked = guarded.get(macro.name, set())
            is_default = bool(macro.body.strip()) and asked == {record.path}
            if macro.name not in used and (not asked or is_default):
                why = "no file expands it or asks for it"
                yield Finding("macro", macro.name, "", record.path, macro.line, why)
