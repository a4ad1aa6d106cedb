"""Reads what verification code does: factory, overrides, TLM, sequences, configuration, DPI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.index.verification.chosen import cast_to, conditioned, names_in
from hdlgraph.index.verification.classes import Outline
from hdlgraph.index.verification.text import (
    arguments,
    back,
    path_before,
    plain,
    target_before,
    type_before,
    word_before,
)
from hdlgraph.parsers.text.source import Source
from hdlgraph.store.design.verification import Act

ACTS = 20_000
"""Statements of one file that are kept."""
_FINDERS = tuple(
    (literal, re.compile(pattern))
    for literal, pattern in (
        (
            "type_id",
            r"type_id\s*::\s*(?P<factory>create\w*|set_type_override|set_inst_override)\s*\(",
        ),
        ("set_type_override_by_", r"(?P<override>set_type_override_by_(?:type|name))\s*\("),
        ("set_inst_override_by_", r"(?P<override>set_inst_override_by_(?:type|name))\s*\("),
        ("create_", r"(?<!\w)(?P<named>create_\w*by_name)\s*\("),
        ("connect", r"(?<=[.\s])(?P<call>connect)\s*\("),
        ("start", r"(?<=[.\s])(?P<call>start)\s*\("),
        ("`uvm_", r"`uvm_(?P<macro>create|create_on|do\w*|send|send_pri|rand_send\w*)\s*\("),
        ("uvm_config_", r"uvm_config_db\s*(?P<db>#)"),
        (
            "uvm_config_",
            r"uvm_config_(?P<of>int|string|object|wrapper)\s*::\s*(?P<typed>set|get)\s*\(",
        ),
        ("uvm_resource_db", r"uvm_resource_db\s*(?P<resource>#)"),
        ("et_config_", r"(?<=[sg])(?P<old>et_config_(?:int|string|object))\s*\("),
        ("run_test", r"(?<![\w.$])(?P<run>run_test)\s*\("),
        ("covergroup", r"(?<!\w)covergroup\s+(?P<group>\w+)"),
    )
)
_DB_CALL = re.compile(r"\s*::\s*(set|get|read_by_name)\s*(?=\()")
_DPI = re.compile(
    r'"DPI(?:-C)?"\s*((?:context|pure)\s+)*(?:(\w+)\s*=\s*)?(?:function|task)\b'
    r"([^;(]{0,400})[;(]"
)
_CLASS_OF = re.compile(r"(.+?)\s*::\s*(?:get_type|type_id\s*::\s*get)\s*\(?\s*\)?\Z")
_LITERAL = re.compile(r'(?:\.\w+\s*\(\s*)?"(\w+)"')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LOCAL = (
    r"(?<![\w$.])((?:\w+\s*::\s*)?[A-Za-z_]\w*(?:\s*#\s*\([^;]{{0,300}}?\))?)\s+{}\s*(?=[;=,)\[])"
)
_NO_TYPE = frozenset(("return", "begin", "end", "else", "new", "input", "output", "ref", "fork"))


class Text(NamedTuple):
    """A file's text without comments (`bare`), also without strings (`code`), and its outline."""

    code: str
    bare: str
    where: Outline


def acts(source: Source, where: Outline) -> list[Act]:
    """Returns what the statements of a text do, by place."""
    found: list[tuple[int, Act]] = []
    text = Text(source.code, source.bare, where)
    for place, kind, match in _statements(source):
        owner, routine, _ = where.around(place)
        line = source.line_of(place)
        done = _READ[kind](text, match)
        found += [(place, act._replace(line=line, owner=owner, routine=routine)) for act in done]
    found.sort(key=lambda one: one[0])
    return conditioned(source, [act for _, act in found[:ACTS]])


def _statements(source: Source) -> Iterator[tuple[int, str, re.Match[str]]]:
    code = source.code
    for literal, pattern in _FINDERS:
        at = code.find(literal)
        while at >= 0:
            found = pattern.match(code, at)
            if found is not None and found.lastgroup:
                yield found.start(found.lastgroup), found.lastgroup, found
            at = code.find(literal, at + len(literal))
    for found in _DPI.finditer(source.bare) if "DPI" in source.bare else ():
        yield found.start(), "dpi", found


def _act(kind: str, left: str, right: str = "", **more: str) -> Act:
    return Act(kind, 0, "", "", left, right, **more)


def _factory(text: Text, found: re.Match[str]) -> Iterator[Act]:
    code, call = text.code, found["factory"]
    colons = back(code, found.start())
    if code[max(0, colons - 2) : colons] != "::":
        return
    of, start = type_before(code, colons - 2)
    given, _ = arguments(code, text.bare, found.end() - 1)
    if not of:
        return
    if call.startswith("create"):
        name = key_of(given[0]) if given else ""
        how = "type_id::create"
        yield _act("create", target_before(code, start), of, detail=name, how=how)
    elif given:
        detail = key_of(given[1]) if "inst" in call and len(given) > 1 else ""
        yield _act("override", of, class_of(given[0]), detail=detail, how=call)


def _override(text: Text, found: re.Match[str]) -> Iterator[Act]:
    call = found["override"]
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    given = [text for text in given if not re.fullmatch(r"\.?replace.*|[01]|1'b[01]", text)]
    detail = ""
    if "inst" in call and len(given) > 2:
        at = 0 if call.endswith("type") else 2
        detail = key_of(given.pop(at))
    if len(given) > 1:
        old, new = (class_of(text).strip('"') for text in given[:2])
        yield _act("override", old, new, detail=detail, how=call)


def _call(text: Text, found: re.Match[str]) -> Iterator[Act]:
    dot = back(text.code, found.start())
    left = path_before(text.code, dot - 1) if text.code[dot - 1 : dot] == "." else ""
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    if not left or not given:
        return
    first = re.sub(r"\A\.\w+\s*\((.*)\)\Z", r"\1", given[0])
    if found["call"] == "connect":
        if len(given) == 1:
            yield _act("connect", left, first)
        return
    local = local_type(text, left, found.start())
    yield _act("start", left, first, how="start", local=local)


def _named(text: Text, found: re.Match[str]) -> Iterator[Act]:
    code = text.code
    begin = code.rfind(";", 0, found.start()) + 1
    if re.search(r"\bfunction\b", code[begin : found.start()]):
        return
    given, end = arguments(code, text.bare, found.end() - 1)
    owner, _, start = text.where.around(found.start())
    span = next((one for one in text.where.classes if one.name == owner), None)
    left = target_before(code, _path_start(code, found.start()))
    own = _LITERAL.match(given[0]) if given else None
    names = [own[1]] if own else names_in(text.bare, span.start, span.end) if span else []
    fields = {"right": ",".join(names), "how": found["named"]}
    yield _act("named", left, **fields)
    if left and end > 0:
        routine_end = next((one.end for one in text.where.routines if one.start == start), end)
        for other in cast_to(code, left, end, routine_end):
            yield _act("named", other, **fields)


def _path_start(code: str, at: int) -> int:
    """Returns where the path begins whose last name begins at an offset: `factory.create`."""
    for sign in (".", "::"):
        before = back(code, at)
        if code[max(0, before - len(sign)) : before] == sign:
            at = word_before(code, back(code, before - len(sign)))
    return at


def _macro(text: Text, found: re.Match[str]) -> Iterator[Act]:
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    if not given:
        return
    macro = found["macro"]
    on = given[1] if "_on" in macro and len(given) > 1 else ""
    local = local_type(text, given[0], found.start())
    kind = "create" if macro.startswith("create") else "start"
    how = f"`uvm_{macro}"
    if kind == "create":
        yield _act("create", given[0], "", detail=on, how=how, local=local)
    else:
        yield _act("start", given[0], on, how=how, local=local)


def _db(text: Text, found: re.Match[str]) -> Iterator[Act]:
    code, is_resource = text.code, found.lastgroup == "resource"
    opens = code.find("(", found.end(), found.end() + 20)
    of, end = arguments(code, text.bare, opens) if opens >= 0 else ([], -1)
    call = _DB_CALL.match(code, end + 1) if end > 0 else None
    if call is None or not of:
        return
    given, _ = arguments(code, text.bare, call.end())
    if is_resource:
        given = ["null", *given]
    kind = "set" if call[1] == "set" else "get"
    yield from _setting(kind, given, of[0])


def _typed(text: Text, found: re.Match[str]) -> Iterator[Act]:
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    of = {"int": "uvm_bitstream_t", "object": "uvm_object", "wrapper": "uvm_object_wrapper"}
    kind = of.get(found["of"], "string")
    yield from _setting(found["typed"], given, kind)


def _old(text: Text, found: re.Match[str]) -> Iterator[Act]:
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    kind = "set" if text.code[found.start() - 1] == "s" else "get"
    of = {"int": "uvm_bitstream_t", "object": "uvm_object"}.get(found["old"][10:], "string")
    given = ["this", *given] if kind == "set" else ["this", "", *given]
    yield from _setting(kind, given, of)


def _setting(kind: str, given: list[str], of: str) -> Iterator[Act]:
    if len(given) < 3:
        return
    value = given[3] if len(given) > 3 else ""
    key, path = key_of(given[2]), key_of(given[1])
    if not path and given[1].strip('"'):
        path = "*"
    if key == "default_sequence" and kind == "set":
        yield _act("start", class_of(value), "", detail=path, how="default_sequence")
    yield _act(kind, key, " ".join(of.split()), detail=path, local=value, how=given[0])


def _run(text: Text, found: re.Match[str]) -> Iterator[Act]:
    given, _ = arguments(text.code, text.bare, found.end() - 1)
    owner, _, _ = text.where.around(found.start())
    if not owner and "task" not in text.code[max(0, found.start() - 30) : found.start()]:
        yield _act("run", key_of(given[0]) if given else "")


def _group(_: Text, found: re.Match[str]) -> Iterator[Act]:
    yield _act("group", found["group"])


def _dpi(text: Text, found: re.Match[str]) -> Iterator[Act]:
    start = back(text.code, found.start())
    word = text.code[word_before(text.code, start) : start]
    names = re.findall(r"\w+", found[3])
    if names and word in ("import", "export"):
        yield _act(word, names[-1], found[2] or names[-1])


_READ = {
    "factory": _factory,
    "override": _override,
    "call": _call,
    "named": _named,
    "macro": _macro,
    "db": _db,
    "resource": _db,
    "typed": _typed,
    "old": _old,
    "run": _run,
    "group": _group,
    "dpi": _dpi,
}


def key_of(text: str) -> str:
    """Returns a text with `*` for what it is not known: `"a_b"`, `$sformatf("a_%0d", i)`."""
    text = text.strip()
    whole = re.fullmatch(_STRING, text)
    if whole:
        return whole[1]
    if text.startswith("$sformatf") or text.startswith("$psprintf"):
        inner = _STRING.search(text)
        return re.sub(r"%-?\d*\w", "*", inner[1]) if inner else "*"
    if text.startswith("{"):
        parts = [part.strip() for part in text.strip("{}").split(",")]
        keys = [key_of(part) if part.startswith('"') else "*" for part in parts]
        return "".join(keys)
    return "*" if text and not text.startswith("`") else text


def class_of(text: str) -> str:
    """Returns the class whose type an expression is, as of `a_seq::get_type()`."""
    found = _CLASS_OF.match(text.strip())
    return plain(found[1]) if found else text.strip()


def local_type(text: Text, path: str, offset: int) -> str:
    """Returns the type of the variable that a path begins with, where its routine declares it."""
    root = re.match(r"\w+", path)
    _, routine, start = text.where.around(offset)
    if not root or not routine:
        return ""
    before = text.code[max(start, offset - 20_000) : offset]
    types = re.compile(_LOCAL.format(re.escape(root[0]))).findall(before)
    types = [one for one in types if one not in _NO_TYPE]
    return plain(types[-1]) if types else ""
