"""Answers where a name is declared and as what, as in "what is pc_set_o" or "who has a port pc_o".

A plain word is taken for a name where the question says what it is called: "the macro trace".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.catalogue.counted import counted
from hdlgraph.query.answer.direct.catalogue.loads import ASKED, add_loads
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_PLACES = 12  # declarations that are shown
MAX_LINES = 24  # of a type that is shown whole
_WORD = re.compile(r"`?[A-Za-z_$][\w$]*(?:(?:::|\.)[A-Za-z_$][\w$]*)?")
_NUMBER = re.compile(r"(?<![\w'$])\d")
"""A number by itself, as messages of tools have them."""
_TYPE_OF = re.compile(r"\b(?:type|data type|datatype) (?:of|has)\b", re.I)
FEW = 2  # declarations of which is told what reads them
MAX_BODY = 10  # lines of a macro's text that are shown
_KINDS = {
    **dict.fromkeys(("input", "inputs", "output", "outputs", "pin", "port", "ports"), "port"),
    **dict.fromkeys(("net", "register", "signal", "signals", "wire", "variable"), "signal"),
    **dict.fromkeys(("constant", "localparam", "parameter", "parameters"), "parameter"),
    **dict.fromkeys(("define", "macro", "macros"), "macro"),
    **dict.fromkeys(("enum", "enumeration", "struct", "structure", "type", "typedef"), "type"),
    **dict.fromkeys(("function", "functions"), "function"),
    **dict.fromkeys(("task", "tasks"), "task"),
}
"""Words for what a name is: its declarations of that kind are meant."""
_WHERE = frozenset(
    "called declared declaration declarations declare declares defined definition definitions "
    "define defines expand expanded expands find has have having located mean meaning means named "
    "stand where".split()
)
_WHAT = frozenset("explain describe what what's whats".split())
_SIZES = frozenset("bits how many size wide width".split())
"""Ask how wide a type is, which its declaration tells."""
_VALUES = frozenset(
    "address code coded encode encoded encoding has number numeric offset opcode value".split()
)
"""Ask for the value of a member of an enumeration, a constant or a macro."""
_VALUED = frozenset(("parameter", "macro"))
_BESIDE = frozenset(
    "a all an are block blocks can design do does enum every file files for i in is it its kind "
    "list literal me member module modules name of on or place places please repo repository show "
    "tell that the there this to unit units which who with you".split()
)


class _Asked(NamedTuple):
    """A name as the question writes it, the kinds that it may be, and who it may belong to."""

    name: str
    kinds: frozenset[str]
    unit: str
    is_size: bool
    is_value: bool


def add_declared(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the declarations of the name that a question asks for; False if it asks for none."""
    asked = _asked(question, queries)
    if asked is None:
        return False
    try:
        definitions = queries.show(asked.name, limit=None)["definitions"]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in definitions if one["path"] and one["path"] not in moved]
    if asked.is_size and asked.kinds - {"type"}:
        return False  # how many ports, and the like: the name is a word of another sentence
    kinds = frozenset(("type",)) if asked.is_size else asked.kinds
    found = [one for one in found if not kinds or one["kind"] in kinds]
    if asked.unit:
        found = [one for one in found if one["name"].startswith(f"{asked.unit}.")]
    if not _is_written_as_a_name(asked.name):  # a word, which a member may be called by chance
        found = [one for one in found if not one.get("member")]
    if asked.is_value:
        found = [one for one in found if one["kind"] in _VALUED or one.get("member")]
    if not found:
        return False
    found.sort(key=lambda one: (not of_design(one["path"]), one["path"], one["line"]))
    count = len(found)
    if count > 1:
        page.add(f"{asked.name} is declared in {count} places:")
    for one in found[:MAX_PLACES]:
        _add_declaration(page, one, asked.is_value)
    if count > MAX_PLACES:
        page.add(f"- and {count - MAX_PLACES} more")
    for one in found[:FEW] if ASKED.search(question) else ():
        add_loads(page, queries, one, moved)
    page.add(f"`hdlgraph show {asked.name}` and `hdlgraph who {asked.name}` tell how it is used.")
    return True


def _asked(question: str, queries: Queries) -> _Asked | None:
    """Returns the one name that a question asks for, None where a word asks for something else."""
    words = [word.lstrip("`") for word in _WORD.findall(question)]
    lower = {word.lower() for word in words}
    is_size = bool(lower & _SIZES)
    is_value = bool(lower & _VALUES)
    if not (is_size or is_value or lower & (_WHERE | _WHAT)) or _NUMBER.search(question):
        return None
    kinds = frozenset(_KINDS[word] for word in lower & {*_KINDS})
    if _TYPE_OF.search(question):  # which the declaration says
        kinds -= {"type"}
    plain = _WHERE | _WHAT | _BESIDE | _SIZES | _VALUES | {*_KINDS}
    rest = [word for word in words if word.lower() not in plain]
    units = [one for one in units_named(question, queries.graph()) if one in rest]
    names = [word for word in dict.fromkeys(rest) if word not in units]
    if len(names) != 1 or len(units) > 1:
        return None
    is_name = _is_written_as_a_name(names[0])
    if not (kinds or is_name):
        return None
    described = re.search(rf"\b(?:an?|any|some) {re.escape(names[0])}\b", question, re.I)
    if described and not is_name and not lower & {"called", "named"}:
        return None  # an enable input, which may be called otherwise
    return _Asked(names[0], kinds, units[0] if units else "", is_size, is_value)


def _is_written_as_a_name(word: str) -> bool:
    """Returns whether a word is written as no English word is: `pc_set_o`, `NumRegs`, `RV32`."""
    return bool(re.search(r"[_$.:\d]|[a-z][A-Z]", word)) or (word.isupper() and len(word) > 1)


def _add_declaration(page: FactPage, one: Mapping[str, Any], is_value: bool) -> None:
    """Adds what a declaration is and whose, with its line; of a member its value if asked for."""
    owner, _, name = one["name"].rpartition(".")
    path, line = one["path"], one["line"]
    member, macro = one.get("member"), one.get("macro")
    whose = f" of {owner}" if owner else ""
    if member is not None:
        value = counted(one["detail"], member["name"]) if is_value else ""
        path, line = member["path"], member["line"]
        page.add(f"- a member of {one['kind']} {one['name']}{value}:")
    elif macro is not None:
        times = one["n_expansions"]
        places = f"{times} place{'s' * (times != 1)}"
        page.add(f"- {one['kind']} {name}, declared by the macro {macro['name']} in {places}:")
        page.code(macro["path"], page.source(macro["path"]), [macro["line"]])
    else:
        page.add(f"- {one['kind']} {name}{whose}{_bits(one)}{_only_if(one)}:")
    page.code(path, page.source(path), _lines(page, one, path, line, member is not None))


def _bits(one: Mapping[str, Any]) -> str:
    """Returns how wide a type is, where its declaration says so in numbers."""
    return f", {one['width']} bits" if one.get("width") else ""


def _only_if(one: Mapping[str, Any]) -> str:
    return f", only if {one['condition']}" if one["condition"] else ""


def _lines(
    page: FactPage, one: Mapping[str, Any], path: str, line: int, is_member: bool
) -> Sequence[int]:
    """Returns the lines of a declaration with the comment above it; of a type all of its own."""
    source = page.source(path).lines
    last = line
    if one["kind"] == "type" and not is_member:
        last = min(one["end_line"], line + MAX_LINES - 1)
    if one["kind"] == "macro":
        while last - line < MAX_BODY and source[last - 1].rstrip().endswith("\\"):
            last += 1
    first = line
    while first > 1 and line - first < 3 and source[first - 2].strip().startswith("//"):
        first -= 1
    return range(first, last + 1)
