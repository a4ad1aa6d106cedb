"""Reads the facts of a file from its plain text, without a parser; it never fails on any bytes."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hdlgraph.model import (
    Assertion,
    Comment,
    FileRecord,
    Layer,
    Message,
    NodeKind,
    Unit,
)
from hdlgraph.parsers import limits
from hdlgraph.parsers.text.comments import CommentIndex, header, index_comments
from hdlgraph.parsers.text.directives import (
    Region,
    conditions_by_line,
    define_spans,
    includes_of,
    macro_uses,
    macros_of,
    regions_of,
)
from hdlgraph.parsers.text.expressions import closing, first_letters
from hdlgraph.parsers.text.source import Source, read_source

COMMENT_CHARS = 400_000
"""Comment text kept per file; generated files repeat themselves beyond it."""
MACRO_LIMIT = 5000
_LANGUAGE_CHARS = 500_000
MESSAGE_LIMIT = 300

_UNIT = re.compile(
    r"(?<![\w$.`:'])(?:end(module|interface|program|package|class|checker|primitive)\b"
    r"|(module|macromodule|interface|program|package|class|checker|primitive)\b[ \t\r\n]+"
    r"((?:(?:class|automatic|static)\b[ \t\r\n]+)*)([A-Za-z_$][\w$]*|\\\S+))"
)
_WORD = re.compile(r"module|macromodule|interface|program|package|class|checker|primitive")
"""Of a unit's keyword; the engine passes over what begins otherwise."""
_BEFORE = re.compile(r"\b(typedef|virtual|extern|import|export|with|forward)\s*$")
_SV_WORDS = """logic always_ff always_comb always_latch interface endinterface package endpackage
    import typedef enum struct endclass unique unique0 priority modport endprogram endproperty
    covergroup foreach inside shortint longint byte bit int return void assert assume bind string
    rand constraint""".split()
_SV_WORD = re.compile(rf"{first_letters(_SV_WORDS)}(?![\w$])")
_SV_SIGNS = (
    (("'",), re.compile(r"'[{01xz]")),
    (("::",), re.compile("::")),
    ((".*",), re.compile(r"\(\s*\.\*|,\s*\.\*")),
    (("++", "--"), re.compile(r"\+\+|--(?!-)")),
    (("-=", "+=", "|=", "&=", "^=", "*="), re.compile(r"[-+|&^*]=(?!=)")),
    ((".",), re.compile(r"\.[A-Za-z_]\w*\s*[,)]\s*(?=[.)])")),
)
"""(texts, pattern) of signs that only SystemVerilog has; one of the texts is in each match."""
_SAY = re.compile(
    r"(?:\$(?<![\w$].)(?:error|fatal|warning|info|display|write|monitor|strobe|sformatf)\w?\b"
    r"|`(?<![\w$].)(?:uvm_(?:info|error|warning|fatal)\w*|dv_(?:info|error|warning|fatal|check)\w*"
    r"|DV_CHECK\w*|ASSERT_ERROR|BSG_ERROR))\s*\("
)
"""A sign first: the engine passes over all other places fast."""
_STRING = re.compile(r"\"((?:[^\"\\]|\\[\s\S])*)\"")
_NAMED_CHECK = re.compile(r"`((?:ASSERT|ASSUME|COVER)\w*)\s*\(\s*([A-Za-z_]\w*)\s*(?=[,)])")
_NO_CHECK = frozenset({"ASSERT_ERROR", "ASSERT_DEFAULT_CLK", "ASSERT_DEFAULT_RST", "ASSERT_RPT"})
_KINDS = {
    "macromodule": NodeKind.MODULE,
    "module": NodeKind.MODULE,
    "interface": NodeKind.INTERFACE,
    "program": NodeKind.PROGRAM,
    "package": NodeKind.PACKAGE,
    "class": NodeKind.CLASS,
    "checker": NodeKind.CHECKER,
    "primitive": NodeKind.PRIMITIVE,
}


@dataclass(frozen=True, slots=True)
class Inventory:
    """What plain text tells of a file: a record, and lookups that the parsers build on.

    `conditions` say what the `ifdef branches around each line ask for; () without such branches.
    """

    record: FileRecord
    source: Source
    comments: CommentIndex
    regions: tuple[Region, ...]
    checks: tuple[Assertion, ...]
    conditions: Sequence[str] = ()


def take_inventory(path: str, data: bytes, *, sha256: str = "", role: str = "rtl") -> Inventory:
    """Returns what the bytes of a file tell as plain text."""
    source = read_source(data)
    comments = index_comments(source.comments)
    units = scan_units(source, comments)
    uses = macro_uses(source)
    regions = tuple(regions_of(source))
    blocks = _capped(comments.blocks)
    record = FileRecord(
        path=path,
        sha256=sha256,
        role=role,
        language=language_of(source.code, path),
        size=len(data),
        n_lines=source.text.count("\n") + (0 if source.text.endswith("\n") or not data else 1),
        encoding=source.encoding,
        header=header(blocks, _head_end(source, units)),
        units=tuple(units),
        includes=tuple((name, source.line_of(at)) for name, at in includes_of(source.bare)),
        macros=tuple(macros_of(source)[:MACRO_LIMIT]),
        macro_uses=tuple((name, source.line_of(uses[name])) for name in sorted(uses))[:MACRO_LIMIT],
        comments=blocks,
        messages=tuple(messages_of(source)),
        layers=(Layer.REGEX.value,),
        protected=source.protected,
        branches=tuple((region.line, region.end_line) for region in regions[: limits.BRANCHES]),
        conditions=tuple(region.condition for region in regions[: limits.BRANCHES]),
    )
    conditions = conditions_by_line(regions, len(source.starts)) if regions else ()
    return Inventory(record, source, comments, regions, checks_of(source), conditions)


def language_of(code: str, path: str) -> str:
    """Returns `systemverilog` or `verilog` by content; a text with neither goes by its suffix."""
    if _is_systemverilog(code[:_LANGUAGE_CHARS]):
        return "systemverilog"
    if re.search(r"\bmodule\b", code):
        return "verilog"
    return "systemverilog" if path.lower().endswith((".sv", ".svh")) else "verilog"


def _is_systemverilog(code: str) -> bool:
    """Returns whether a word or a sign that only SystemVerilog has is in a text."""
    return bool(_SV_WORD.search(code)) or any(
        any(text in code for text in texts) and pattern.search(code) for texts, pattern in _SV_SIGNS
    )


def scan_units(source: Source, comments: CommentIndex) -> list[Unit]:
    """Returns the units that the keywords tell, nested ones with their parent."""
    open_units: list[tuple[str, str, int, str]] = []
    found: list[Unit] = []

    def close(end_line: int) -> None:
        found.append(_closed(*open_units.pop(), end_line, comments))

    spans = define_spans(source)
    for match in _keywords(source.code):
        if spans and _is_within(match.start(), spans):
            continue
        end, word, middle, name = match.groups()
        kind = _KINDS[end or word].value
        line = source.line_of(match.start())
        if end:
            while open_units and any(unit[0] == kind for unit in open_units):
                last = open_units[-1][0]
                close(line)
                if last == kind:
                    break
            continue
        if "class" in middle:
            kind = NodeKind.CLASS.value
        if not _starts_unit(source.code, match, kind, name):
            continue
        if open_units and kind not in ("class", "checker") and open_units[-1][0] == kind:  # noqa: SIM102
            # A lost end keyword: the next unit of the kind ends the former (Verilog nests rarely).
            if not _nests(source.code, match):
                close(max(line - 1, open_units[-1][2]))
        open_units.append((kind, name.lstrip("\\"), line, open_units[-1][1] if open_units else ""))
    while open_units:
        close(len(source.starts))
    return sorted(found, key=lambda unit: (unit.line, unit.name))


def _keywords(code: str) -> Iterator[re.Match[str]]:
    """Yields the matches of `_UNIT` in order."""
    last = 0
    for word in _WORD.finditer(code):
        start = word.start()
        if code[max(start - 3, 0) : start] == "end":
            start -= 3
        match = _UNIT.match(code, start) if start >= last else None
        if match:
            last = match.end()
            yield match


def _closed(
    kind: str, name: str, line: int, parent: str, end_line: int, comments: CommentIndex
) -> Unit:
    return Unit(
        kind=kind,
        name=name,
        line=line,
        end_line=end_line,
        comment=unit_comment(comments, line),
        parent=parent,
        layers=(Layer.REGEX.value,),
        confidence=0.6,
    )


def _is_within(offset: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect.bisect_right(spans, (offset, len(spans) and spans[-1][1] + 1)) - 1
    return at >= 0 and spans[at][0] <= offset < spans[at][1]


def _starts_unit(code: str, match: re.Match[str], kind: str, name: str | None) -> bool:
    if not name or name in _KINDS:
        return False
    before = _BEFORE.search(code, max(0, match.start() - 40), match.start())
    if before and not (before[1] == "virtual" and kind == NodeKind.CLASS.value):
        return False
    rest = code[match.end() : match.end() + 200].lstrip()
    if not rest:
        return True
    if kind == NodeKind.CLASS.value:
        return rest[0] in "#;" or rest.startswith(("extends", "implements", "`", ":"))
    if kind == NodeKind.PACKAGE.value:
        return rest[0] == ";"
    return rest[0] in "#(;`" or rest.startswith("import")


def _nests(code: str, match: re.Match[str]) -> bool:
    line_start = code.rfind("\n", 0, match.start()) + 1
    return match.start() > line_start and code[line_start : match.start()].isspace()


def unit_comment(comments: CommentIndex, line: int) -> str:
    """Returns the doc comment above a unit; one blank line may stand between."""
    return comments.above.get(line - 1) or comments.above.get(line - 2, "")


def _head_end(source: Source, units: list[Unit]) -> int:
    if units:
        return units[0].line
    match = re.search(r"^[ \t]*[^\s`]", source.code, re.MULTILINE)
    return source.line_of(match.start()) if match else len(source.starts) + 1


def _capped(blocks: tuple[Comment, ...]) -> tuple[Comment, ...]:
    total = 0
    for i, block in enumerate(blocks):
        total += len(block.text) + 40
        if total > COMMENT_CHARS:
            return blocks[:i]
    return blocks


def messages_of(source: Source) -> list[Message]:
    """Returns the sentences that the file can print, in order."""
    found: list[Message] = []
    for match in _SAY.finditer(source.code):
        stop = source.code.find(";", match.end())
        stop = min(stop if stop >= 0 else len(source.code), match.end() + 600)
        for string in _STRING.finditer(source.bare, match.end(), stop):
            text = " ".join(string[1].replace("\\n", " ").replace("\\\n", " ").split())
            if len(re.sub(r"%\d*\w|\W", "", text)) >= 4 and (" " in text or len(text) >= 12):
                found.append(Message(line=source.line_of(string.start()), text=text[:300]))
        if len(found) >= MESSAGE_LIMIT:
            break
    return found[:MESSAGE_LIMIT]


def checks_of(source: Source) -> tuple[Assertion, ...]:
    """Returns assertions written as macro calls with a name, such as `ASSERT(Name, ...)."""
    found = []
    for match in _NAMED_CHECK.finditer(source.code):
        if match[1] in _NO_CHECK:
            continue
        end = closing(source.code, match.end(), 400)
        text = source.bare[match.end() : max(end - 1, match.end())]
        found.append(
            Assertion(
                name=match[2],
                kind=match[1].lower(),
                line=source.line_of(match.start()),
                text=" ".join(text.lstrip(" ,").split())[:120],
            )
        )
    return tuple(found)
