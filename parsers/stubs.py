"""Prepares the text of a file for pyslang: headers in memory, stubs for unknown macros.

Every include is looked up among the files of the repository and handed over in memory; one that
names no such file is blanked. So the parser never opens a file by itself. A macro that nothing
defines gets a harmless meaning, so that the text around it can be parsed.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.scan import CODE, NAME
from hdlgraph.parsers.macros.table import INSIDE, Borrowed
from hdlgraph.parsers.text.directives import DIRECTIVES, INCLUDE
from hdlgraph.parsers.text.expressions import KEYWORDS, closing
from hdlgraph.parsers.text.source import Source, ascii_only, read_source

MAX_HEADERS = 200
"""Headers handed to the parser for one file; includes beyond them are blanked."""
_CACHE_CHARS = 24_000_000
_ANY_INCLUDE = re.compile(r"`include\b[^\n]*?(?=//|/\*|`endif|$)", re.MULTILINE)
_DEFINED = re.compile(r"`define[ \t]+([A-Za-z_]\w*)")
_USED = re.compile(r"`([A-Za-z_]\w*)([ \t]*\(|)")
_OPERATOR_BEFORE = frozenset("=(,+-*/%&|^~!<>?:[{.@#")
_OPERATOR_AFTER = frozenset("+-*/%&|^<>?=]):,}.[;")
_STATEMENT_DUE = re.compile(
    r"(?:\b(?:if|while|for|foreach|repeat)\b[^;\n]*\)|\belse|[\w\])\"]\s*:)$"
)
_BASE_BEFORE = re.compile(r"'[sS]?[bodhBODH]$")
UNKNOWN = "hdlgraph_unknown_"
"""What the name of a module begins with that an unknown macro stands for."""
_INSTANCE_AFTER = re.compile(r"[ \t]*(?:#[ \t]*\(|([A-Za-z_]\w*)[ \t]*(?:\[[^\]\n]*\][ \t]*)?\()")
_MEMBER_DUE = re.compile(r"(?:^|[;):]|\b(?:begin|end\w*|generate|else)|(?:^|\n)[ \t]*`[^\n]*)$")
_VALUES = ("0", "0:0")
"""What a stub means where a value is due."""
_STUB_FORMALS = "(" + ",".join(f"a{i}=" for i in range(24)) + ")"


@dataclass(frozen=True, slots=True)
class Header:
    """An includable file: its padded text, what it includes and the macros it defines."""

    text: str
    includes: tuple[str, ...]
    defines: frozenset[str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready to parse: offsets less `shift` are offsets of the source.

    `headers` are (name as written, text), `paths` the files that they are by that name; `stubs`
    the macros with a made-up meaning, `known` those that headers and settings define. `borrowed`
    are (macro, path) of those that come from a file that this one does not include.
    """

    text: str
    shift: int
    headers: tuple[tuple[str, str], ...]
    stubs: tuple[str, ...]
    paths: dict[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    borrowed: tuple[tuple[str, str], ...] = ()

    def decided(self, text: str, defines: Iterable[str]) -> Prepared:
        """Returns another text of the same file, with some macros defined beyond the known."""
        extra = [name for name in defines if name not in self.known and name not in self.stubs]
        prefix = self.text[: self.shift] + "".join(f"`define {name}\n" for name in extra)
        return replace(self, text=prefix + text, shift=len(prefix))


@dataclass(slots=True)
class _Closure:
    """Headers of one file by written name, their paths, and the names dropped per includer."""

    found: dict[str, Header]
    paths: list[str] = field(default_factory=list)
    dropped: dict[str, set[str]] = field(default_factory=dict)


class Preparer:
    """Prepares files of one repository; keeps the headers read, within a bound."""

    def __init__(
        self,
        index: IncludeIndex,
        read: Callable[[str], bytes],
        defines: tuple[str, ...] = (),
        borrowed: Mapping[str, Sequence[Borrowed]] | None = None,
    ) -> None:
        self._index = index
        self._read = read
        self._defines = defines
        self._borrowed = borrowed or {}
        self._headers: OrderedDict[str, Header | None] = OrderedDict()
        self._held = 0

    def prepare(self, path: str, source: Source) -> Prepared:
        """Returns the text of a file with its headers and the stubs of its unknown macros."""
        top = Header(source.padded(), _names(source.bare), frozenset())
        found: dict[str, Header] = {}
        closure = _Closure(found)
        self._collect((path,), top, closure)
        known = {define.partition("=")[0].partition("(")[0] for define in self._defines}
        known.update(*(header.defines for header in found.values()))
        lent = _taken(self._borrowed.get(path, ()), source, known)
        known.update(one.name for one in lent)
        prefix, stubs = stub_macros(source, known)
        defines = [_as_define(define) for define in self._defines]
        defines += [ascii_only(one.text) for one in lent]
        prefix = "".join(f"`define {define}\n" for define in defines) + prefix
        text = prefix + _blank_includes(top.text, found, closure.dropped.get(path, ()))
        headers = tuple(
            (name, _blank_includes(header.text, found, closure.dropped.get(at, ())))
            for (name, header), at in zip(found.items(), closure.paths, strict=True)
        )
        paths = dict(zip(found, closure.paths, strict=True))
        taken = tuple((one.name, one.path) for one in lent)
        return Prepared(text, len(prefix), headers, stubs, paths, frozenset(known), taken)

    def _collect(self, stack: tuple[str, ...], header: Header, closure: _Closure) -> None:
        for name in header.includes:
            path = self._index.resolve(stack[-1], name)
            # Back to a file that is being included: a guard makes it empty, without one it never
            # ends.
            if path in stack:
                closure.dropped.setdefault(stack[-1], set()).add(name)
                continue
            if path is None or name in closure.found or len(closure.found) >= MAX_HEADERS:
                continue
            inner = self._header(path)
            if inner is not None:
                closure.found[name] = inner
                closure.paths.append(path)
                self._collect((*stack, path), inner, closure)

    def _header(self, path: str) -> Header | None:
        if path in self._headers:
            self._headers.move_to_end(path)
            return self._headers[path]
        try:
            source = read_source(self._read(path))
        except OSError:
            header = None
        else:
            defined = frozenset(_DEFINED.findall(source.bare))
            header = Header(source.padded(), _names(source.bare), defined)
            self._held += len(header.text)
        self._headers[path] = header
        while self._held > _CACHE_CHARS and len(self._headers) > 1:
            _, old = self._headers.popitem(last=False)
            self._held -= len(old.text) if old else 0
        return header


def _names(bare: str) -> tuple[str, ...]:
    if "`include" not in bare:
        return ()
    return tuple(dict.fromkeys((m[1] or m[2] or "") for m in INCLUDE.finditer(bare)))


def _as_define(define: str) -> str:
    name, _, value = define.partition("=")
    return f"{name} {value}" if value else f"{name} 1"


def _blank_includes(text: str, found: dict[str, Header], dropped: Collection[str]) -> str:
    if "`include" not in text:
        return text

    def blank(match: re.Match[str]) -> str:
        name = INCLUDE.match(match[0])
        written = (name[1] or name[2] or "") if name else ""
        if name and written in found and written not in dropped:
            rest = match[0][name.end() :]
            return name[0] + (rest if not rest.strip() else " " * len(rest))
        # A trailing backslash continues a macro body: keep it.
        if match[0].rstrip().endswith("\\"):
            return " " * (len(match[0].rstrip()) - 1) + "\\"
        return " " * len(match[0])

    return _ANY_INCLUDE.sub(blank, text)


def stub_macros(source: Source, known: set[str]) -> tuple[str, tuple[str, ...]]:
    """Returns define lines for macros that nothing defines, and their names.

    Where an operand is due a stub means 0, where a statement is due an empty block, where a module
    is due (`NAME u_name (...)`) a name that begins with `UNKNOWN`; elsewhere it
    means nothing, as a statement or member that is left out. Where uses differ, one that needs a
    value decides.
    """
    meanings = _meanings(source, known)
    lines = [f"`define {name}{formals} {body}\n" for name, (formals, body) in meanings.items()]
    return "".join(lines), tuple(sorted(meanings))


def _taken(
    offered: Sequence[Borrowed], source: Source, known: Collection[str]
) -> Sequence[Borrowed]:
    """Returns the macros that a file takes from others: those that stand for more than a value."""
    if not offered:
        return ()
    meanings = _meanings(source, set(known))
    taken: set[str] = set()
    for one in offered:
        stub = meanings.get(one.name)
        is_used = stub and (one.means == CODE or (one.means == NAME and stub[1] not in _VALUES))
        if is_used or one.means == INSIDE:
            taken.update((one.name, *one.needs))
    return [one for one in offered if one.name in taken and one.name not in known]


def _meanings(source: Source, known: set[str]) -> dict[str, tuple[str, str]]:
    """Returns the formals and the body of a stub for each macro that nothing defines."""
    if "`" not in source.code:
        return {}
    known = known | set(_DEFINED.findall(source.bare))
    meanings: dict[str, tuple[str, str]] = {}
    for match in _USED.finditer(source.code):
        name = match[1]
        if name in known or name in DIRECTIVES:
            continue
        formals = _STUB_FORMALS if match[2] else ""
        former = meanings.get(name)
        if former is None or not former[1]:
            meanings[name] = (formals or (former or ("",))[0], _meaning(source.code, match))
    return meanings


def _meaning(code: str, match: re.Match[str]) -> str:
    before = code[max(0, match.start() - 160) : match.start()].rstrip()
    end = closing(code, match.end()) if match[2] else match.end()
    made = _INSTANCE_AFTER.match(code, end)
    if made and made[1] not in KEYWORDS and _MEMBER_DUE.search(before):
        return UNKNOWN + match[1]
    after = code[end : end + 40].lstrip()[:1]
    # A colon after a question mark chooses an operand, not a statement.
    if match[2] and after != ";" and _STATEMENT_DUE.search(before):
        return "0" if before[-1] == ":" and "?" in before.rpartition(";")[2] else "begin end"
    char = before[-1:]
    if char == "[" and after == "]":
        return "0:0"
    if char in _OPERATOR_BEFORE or _BASE_BEFORE.search(before):
        return "" if char == "," and match[2] else "0"
    if match[2]:
        return "0" if after and after in "+-*/%?]" else ""
    if after in (":", ",") and code[end : end + 40].lstrip()[:2] != "::":
        return "0"
    if char and char not in ";`)" and after and after in _OPERATOR_AFTER:
        return "" if (char.isalnum() and after in ";)") else "0"
    return ""
