"""Condenses the code of a file for a prompt: no licences, wiring by name, tables or white space."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hdlgraph.index.explain.by_rules.protocols import bare, is_timing
from hdlgraph.model import FileRecord, Instance
from hdlgraph.parsers.text.comments import body, prose
from hdlgraph.parsers.text.source import RawComment, Source, read_source

MARK = "..."
"""Stands, with a number and a word, where lines were left out."""
INSTANCE_LINES = 3  # a longer instance is written on one line
_MAX_HEAD = 60  # lines of a parameter list above an instance's name
_MAX_WIRES = (8, 3)  # informative connections of an instance, and where space is short
_MAX_EXPR = 48
_MAX_CHARS = 1_000_000  # of a file; what follows is left out
_MAX_LINE = 400  # characters
_DIGITS = re.compile(r"('[sS]?[hHbBdDoO]\s*[\da-fA-F_xXzZ?]{6})[\da-fA-F_xXzZ?]{6,}")
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}")
_WORD = re.compile(r"[\w$]+|\"[^\"]*\"")
_NAME = re.compile(r"[A-Za-z_][\w$]{2,}")
_DECLARATION = re.compile(r"\s*[\w\s:\[\]$',+\-*.()/]*[,;]?")
_MAX_PERIOD = 12  # lines of a pattern that repeats
_TABLE_LINES = 12  # shorter tables stay
_NAMED = 10  # names of left out table entries


class Line(NamedTuple):
    """A line of condensed code that stands for the source lines `first` to `last` (1-based).

    `gap` is set where a blank line stood before it.
    """

    first: int
    last: int
    text: str
    gap: bool = False


def condense(text: str, record: FileRecord, *, short: bool = False) -> list[Line]:
    """Returns the lines of a file worth showing, in order.

    Args:
        text: the file.
        record: its facts; where they do not fit the text, only less is left out.
        short: leave out more of what the facts hold too.
    """
    source = read_source(text[:_MAX_CHARS].encode("utf-8", "replace"))
    lines = source.text.split("\n")
    kept: list[str | None] = [_squeezed(line, 1 if short else 8) or None for line in lines]
    _drop_comments(source, kept)
    spans = _join_instances(source, record, lines, kept, _MAX_WIRES[short])
    if short:
        _drop_declarations(record, source, kept)
    out: list[Line] = []
    gap = False
    for at, line in enumerate(kept):
        if line is None:
            gap = gap or not lines[at].strip()
            continue
        out.append(Line(*spans.get(at, (at + 1, at + 1)), line, gap))
        gap = False
    if len(text) > _MAX_CHARS:
        out.append(Line(len(lines), len(lines), f"{MARK} the rest of the file"))
    return elide_tables(out, _enum_lines(record))


def _squeezed(line: str, depth: int) -> str:
    """Returns a line without alignment, long numbers and most of its indentation."""
    line = line.expandtabs(4).rstrip()
    plain = line.lstrip()
    if not plain:
        return ""
    indent = min((len(line) - len(plain) + 1) // 2, depth)
    plain = _DIGITS.sub(rf"\1{MARK}", _SPACES.sub(" ", plain))
    if len(plain) > _MAX_LINE:
        plain = plain[:_MAX_LINE] + MARK
    return " " * indent + plain


def _drop_comments(source: Source, kept: list[str | None]) -> None:
    """Takes out licences, pragmas, rulers and empty lines of comments that stand alone."""
    code = source.bare.split("\n")
    for run in _runs(source.comments, code):
        texts = "\n".join(body(comment.text) for comment in run).split("\n")
        rest = [line.strip() for line in prose("\n".join(texts)).split("\n") if line.strip()]
        at = 0
        for number, line in enumerate(texts, run[0].line):
            if at < len(rest) and line.strip() == rest[at]:
                at += 1
            else:
                kept[number - 1] = None


def _runs(comments: Iterable[RawComment], code: Sequence[str]) -> list[list[RawComment]]:
    """Returns the comments on lines of their own, those on adjacent lines together."""
    runs: list[list[RawComment]] = []
    for comment in comments:
        if comment.trailing or any(c.strip() for c in code[comment.line - 1 : comment.end_line]):
            continue
        if runs and runs[-1][-1].end_line + 1 == comment.line:
            runs[-1].append(comment)
        elif not runs or runs[-1][-1].end_line < comment.line:
            runs.append([comment])
    return runs


def _join_instances(
    source: Source, record: FileRecord, lines: list[str], kept: list[str | None], wires: int
) -> dict[int, tuple[int, int]]:
    """Writes long instances on one line; returns the source lines of each, by its index."""
    code = source.code.split("\n")
    spans: dict[int, tuple[int, int]] = {}
    done = 0
    found = [instance for unit in record.units for instance in unit.instances]
    for instance in sorted(found, key=lambda i: (i.line, i.end_line)):
        first = _start(instance, code)
        last = instance.end_line
        if not done < first <= last <= len(lines) or last - first < INSTANCE_LINES:
            continue
        if not code[last - 1].rstrip().endswith(";"):
            continue
        done = last
        indent = re.match(r" *", kept[first - 1] or "")
        text = (indent[0] if indent else "") + _instance_text(instance, wires)
        notes = [c for c in source.comments if first <= c.line <= last and wires > 3]
        note = " ".join(" ".join(body(c.text).split()) for c in notes)[:160].strip()
        kept[first - 1 : last] = [text + (f" // {note}" if note else "")] + [None] * (last - first)
        spans[first - 1] = (first, last)
    return spans


def _start(instance: Instance, code: Sequence[str]) -> int:
    """Returns the line on which an instance begins with its unit's name; 0 if there is none."""
    head = re.compile(rf"\s*{re.escape(instance.unit)}\b")
    for line in range(instance.line, max(0, instance.line - _MAX_HEAD), -1):
        if line <= len(code) and head.match(code[line - 1]):
            return line
        if line < instance.line and code[line - 1].rstrip().endswith(";"):
            return 0
    return 0


def _instance_text(instance: Instance, wires: int) -> str:
    """Returns an instance as one line: the connections whose two names differ come first."""
    connections = [
        (connection.port, expr)
        for connection in instance.connections
        if (expr := " ".join(connection.expr.split()))
    ]
    informative = [(p, e) for p, e in connections if p and bare(p) != bare(e) and not is_timing(p)]
    informative.sort(key=lambda pair: not _NAME.search(pair[1]))
    shown = [f".{port}({_clip(expr)})" for port, expr in informative[:wires]]
    rest = len(instance.connections) - len(shown)
    if rest > 0:
        shown.append(f"{MARK} {rest} {'more' if shown else 'connections'}")
    given = instance.parameters[:wires]
    values = [f".{name}({_clip(value)})" if name else _clip(value) for name, value in given]
    if len(instance.parameters) > wires:
        values.append(f"{MARK} {len(instance.parameters) - wires} more")
    head = f"{instance.unit} #({', '.join(values)})" if values else instance.unit
    return f"{head} {instance.name} ({', '.join(shown)});"


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_EXPR else text[:_MAX_EXPR] + MARK


def _drop_declarations(record: FileRecord, source: Source, kept: list[str | None]) -> None:
    """Takes out the lines of ports and signals that say no more than the facts do."""
    commented = {comment.line for comment in source.comments}
    for unit in record.units:
        for at in (*(port.line for port in unit.ports), *(signal.line for signal in unit.signals)):
            line = kept[at - 1] if 0 < at <= len(kept) else None
            if not line or at in commented or not _DECLARATION.fullmatch(line):
                continue
            if line.count("(") == line.count(")"):
                kept[at - 1] = None


def _enum_lines(record: FileRecord) -> frozenset[int]:
    """Returns the lines of types with few members: their names are the states."""
    kinds = [*record.types, *(kind for unit in record.units for kind in unit.types)]
    return frozenset(
        line for k in kinds if len(k.members) <= 40 for line in range(k.line, k.end_line + 1)
    )


def elide_tables(lines: Sequence[Line], keep: frozenset[int] = frozenset()) -> list[Line]:
    """Returns lines with the middle of long repetitions replaced by one line that counts them.

    A repetition is a pattern of one to twelve lines that are equal but for their words and
    numbers. Its first two rounds and its last one stay.

    Args:
        lines: condensed code.
        keep: source lines that no repetition may take in.
    """
    shapes = [None if line.first in keep else _shape(line.text) for line in lines]
    out: list[Line] = []
    at = 0
    while at < len(lines):
        period, rounds = _repetition(shapes, at)
        if period * rounds < _TABLE_LINES or rounds < 5:
            out.append(lines[at])
            at += 1
            continue
        end = at + period * rounds
        head, tail = at + period * max(2, 4 // period), end - period
        hidden = lines[head:tail]
        count = hidden[-1].last - hidden[0].first + 1
        names = _distinct(lines[at : at + period], hidden, period)
        mark = f"{MARK} {count} lines of table"
        text = f"{mark}: {', '.join(names)}" if names else mark
        out += [*lines[at:head], Line(hidden[0].first, hidden[-1].last, text), *lines[tail:end]]
        at = end
    return out


def _shape(text: str) -> str:
    """Returns a line without its words; all comments have one shape."""
    plain = text.strip()
    if plain.startswith(("//", "/*", "*")):
        return "//"
    return _WORD.sub("w", plain.partition("//")[0]).strip() or "//"


def _repetition(shapes: Sequence[str | None], at: int) -> tuple[int, int]:
    """Returns (period, rounds) of the longest repetition that begins at a line."""
    best = (1, 1)
    for period in range(1, _MAX_PERIOD + 1):
        end = at + period
        if end >= len(shapes) or shapes[end] != shapes[at]:
            continue
        pattern = shapes[at:end]
        if None in pattern or all(shape == "//" for shape in pattern):
            continue
        while end < len(shapes) and shapes[end] is not None and shapes[end] == shapes[end - period]:
            end += 1
        rounds = (end - at) // period
        if rounds * period > best[0] * best[1]:
            best = (period, rounds)
    return best


def _distinct(first: Sequence[Line], hidden: Sequence[Line], period: int) -> list[str]:
    """Returns a name of each hidden round that the first round does not hold."""
    seen = set(_NAME.findall(" ".join(line.text for line in first)))
    found: list[str] = []
    for start in range(0, len(hidden), period):
        names = _NAME.findall(" ".join(line.text for line in hidden[start : start + period]))
        new = next((name for name in names if name not in seen), "")
        if new:
            seen.add(new)
            found.append(new)
    return [*found[:_NAMED], f"{MARK}"] if len(found) > _NAMED else found
