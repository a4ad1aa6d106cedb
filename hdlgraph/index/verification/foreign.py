"""Reads files in other languages: functions that DPI names, and programs that exercise a unit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hdlgraph.index.discover.files import C_ENDINGS
from hdlgraph.index.verification.text import closing
from hdlgraph.parsers.text.source import read_source
from hdlgraph.store.design.verification import CFunction, Program

_WORD = re.compile(r"[A-Za-z_]\w*(?=\s{0,8}\()")
_AFTER = re.compile(r"\s*(?:const\b|noexcept\b|override\b|\s)*([{;:])?")
_STATEMENT = re.compile(r"(?:\breturn|\belse|\bdo|[=(,!&|?<+\-/%])\s*\Z")
_INCLUDED = re.compile(r'#\s*include\s*["<]V(\w+?)(?:__Syms)?\.h[">]')
_TOP = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:COCOTB_)?TOPLEVEL[ \t]*[:?]?=[ \t]*(\w+)[ \t]*(?:#.*)?$", re.M
)
_MODULE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:COCOTB_TEST_)?MODULES?[ \t]*[:?]?=[ \t]*([\w.]+)", re.M
)
_PYTHON_TOP = re.compile(r"""\b(?:hdl_toplevel|toplevel)\s*=\s*["'](\w+)["']""")
_PYTHON_MODULE = re.compile(r"""\b(?:test_module|module)\s*=\s*["']([\w.]+)["']""")
_CORE_TOP = re.compile(r"""^[ \t]*toplevel[ \t]*:[ \t]*\[?[ \t]*["']?(\w+)["']?[ \t]*\]?""", re.M)
_TARGET = re.compile(r"^  (\w[\w-]*):(?:[ \t]*&([\w-]+))?", re.M)
_MERGED = re.compile(r"^[ \t]*<<[ \t]*:[ \t]*([^\n]+)", re.M)
TARGETS = 1000
"""Targets of a core that are read."""
_NOT_SIMULATED = re.compile(r"lint|syn|synth|format|fpv|formal|cdc|doc|default")


def functions(path: str, data: bytes, names: Collection[str]) -> tuple[CFunction, ...]:
    """Returns where a C or C++ file has functions of some names, bodies before declarations."""
    source = read_source(data)
    found: dict[str, CFunction] = {}
    for match in _WORD.finditer(source.code):
        if match[0] not in names:
            continue
        end = closing(source.code, source.code.index("(", match.end()))
        after = _AFTER.match(source.code, end + 1) if end > 0 else None
        before = source.code[max(0, match.start() - 80) : match.start()]
        if not after or after[1] not in ("{", ";") or not _is_declared(before):
            continue
        line = source.line_of(match.start())
        one = CFunction(match[0], path, line, after[1] == "{")
        if one.name not in found or (one.is_body and not found[one.name].is_body):
            found[one.name] = one
    return tuple(sorted(found.values(), key=lambda one: one.line))


def _is_declared(before: str) -> bool:
    """Returns whether what stands before a name is a type, so that it is not called there."""
    text = before.rstrip()
    if text.endswith(("*", "&")):
        text = text.rstrip("*& ")
        return bool(text) and (text[-1].isalnum() or text[-1] in "_>")
    if not text or not (text[-1].isalnum() or text[-1] in "_>"):
        return False
    return _STATEMENT.search(text + " ") is None and not text.endswith(("return", "else", "new"))


def programs(path: str, text: str) -> Iterator[Program]:
    """Yields the units that a program, Makefile or FuseSoC core exercises, by line."""
    if path.endswith(C_ENDINGS):
        seen: set[str] = set()
        for found in _INCLUDED.finditer(text):
            # Of what Verilator makes of a unit, parts have two underscores.
            if "__" not in found[1] and found[1] not in seen:
                seen.add(found[1])
                yield Program("verilator", found[1], path, _line(text, found.start()))
    elif path.endswith(".core"):
        yield from _targets(path, text)
    elif "cocotb" in text or path.endswith(".mk") or "Makefile" in path:
        is_python = path.endswith(".py")
        top, module = (_PYTHON_TOP, _PYTHON_MODULE) if is_python else (_TOP, _MODULE)
        if "cocotb" not in text:
            return
        test = module.search(text)
        for found in top.finditer(text):
            line = _line(text, found.start(1))
            yield Program("cocotb", found[1], path, line, test[1] if test else "")


def _targets(path: str, text: str) -> Iterator[Program]:
    """Yields the targets of a core that simulate a unit, also one that another target names."""
    begin = text.find("\ntargets:")
    if begin < 0:
        return
    heads = list(_TARGET.finditer(text, begin))[:TARGETS]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    anchors: dict[str, str] = {}
    for head, end in zip(heads, ends, strict=True):
        own = _CORE_TOP.search(text, head.end(), end)
        merged = _MERGED.search(text, head.end(), end)
        names = re.findall(r"\*([\w-]+)", merged[1]) if merged else []
        top = own[1] if own else next(filter(None, map(anchors.get, names)), "")
        if head[2]:
            anchors[head[2]] = top
        targets = own or merged
        if top and targets and not _NOT_SIMULATED.search(head[1]):
            yield Program("core", top, path, _line(text, targets.start(1)), head[1])


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
