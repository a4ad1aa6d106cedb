"""Cuts the code of a large file into parts for a prompt, at the borders of units and blocks."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hdlgraph.index.explain.by_model.code import MARK, Line, condense
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import FileRecord

_SPARE = 0.3  # of a part is rather left out than sent in a part, and a call, of its own
_LEFT_OUT = re.compile(rf"{re.escape(MARK)}(?: \d+ lines)?")
_COMMENT = re.compile(r"\s*(?://|/\*|\*)")
_HEAD_LINES = 2
_NOTES = 6  # comments inside a block that its outline keeps
_FULL, _OUTLINE, _HEAD, _NONE = range(4)
_LOSS = (1.0, 2.5, 6.0)  # of writing less of a block, by how little there already is
_WEIGHTS = {
    "always_ff": 1.0,
    "always_comb": 1.2,
    "always": 1.1,
    "always_latch": 1.0,
    "initial": 0.7,
    "final": 0.5,
    "assign": 0.7,
    "routine": 1.1,
    "type": 1.4,
    "instance": 1.2,
    "unit": 8.0,
    "": 0.6,
}
"""How much a block says about its file's function, by kind; chosen by reading, not fitted."""


@dataclass(frozen=True, slots=True)
class Part:
    """Code of the source lines `first` to `last` (1-based); `left_out` lines are not shown."""

    first: int
    last: int
    text: str
    left_out: int = 0


@dataclass(slots=True)
class _Block:
    kind: str
    lines: list[Line]
    state: int = _FULL

    @property
    def kept_lines(self) -> list[Line]:
        """Returns the lines that the block's state leaves, with marks for the others."""
        if self.state == _FULL:
            return self.lines
        keep: set[int] = set()
        if self.state != _NONE:
            code = [i for i, line in enumerate(self.lines) if not _COMMENT.match(line.text)]
            start = code[0] if code else 0
            keep = {*range(max(0, start - 4), start), *code[:_HEAD_LINES]}
        if self.state == _OUTLINE:
            notes = [i for i, line in enumerate(self.lines) if _COMMENT.match(line.text)]
            keep |= {*notes[:_NOTES], *(i for i in (len(self.lines) - 1,) if i in keep)}
        lines = enumerate(self.lines)
        return _joined_marks(
            line if i in keep else _mark(line.first, line.last) for i, line in lines
        )


def _mark(first: int, last: int) -> Line:
    count = last - first + 1
    return Line(first, last, f"{MARK} {count} lines" if count > 2 else MARK)


def _joined_marks(lines: Iterable[Line]) -> list[Line]:
    """Returns lines with adjacent marks of left out lines made one."""
    out: list[Line] = []
    for line in lines:
        if out and _LEFT_OUT.fullmatch(line.text) and _LEFT_OUT.fullmatch(out[-1].text):
            out[-1] = _mark(out[-1].first, line.last)
        else:
            out.append(line)
    return out


@lru_cache(maxsize=1 << 15)
def _tokens(text: str) -> int:
    return count_tokens(text + "\n")


def _size(lines: Iterable[Line]) -> int:
    return sum(_tokens(line.text) for line in lines)


def split_code(
    text: str, record: FileRecord, tokens: int, parts: int, share: float = 1.0
) -> list[Part]:
    """Returns the code of a file in at most `parts` parts of at most `tokens` each, in order.

    The whole file, condensed, is one part where it fits. Otherwise declarations that the facts
    hold too are left out; then whole blocks fill as many parts as show `share` of it, a block
    being cut only where it exceeds a part. What exceeds these is taken from the blocks that tell
    least: first their inner lines, then all but their heads.

    Args:
        text: the file.
        record: its facts.
        tokens: most tokens of a part.
        parts: most parts.
        share: of the code that is to be shown at least; 1 for all that the parts hold.
    """
    lines = condense(text, record)
    if not lines:
        return []
    n_lines = text.count("\n") + 1
    if _size(lines) <= tokens:
        return [_part(lines, n_lines)]
    lines = condense(text, record, short=True) or lines[:1]
    total = _size(lines)
    wanted = parts if share >= 1 else math.ceil(total * share / tokens - _SPARE)
    wanted = max(1, min(parts, wanted))
    room = wanted * tokens
    while True:
        blocks = _blocks(lines, record, tokens)
        _shorten(blocks, room)
        packed = _pack(blocks, tokens)
        if len(packed) <= wanted or room < tokens // 2:
            return _parts(packed[:wanted], n_lines)
        room = int(room * 0.94)


def _parts(packed: Sequence[Sequence[Line]], n_lines: int) -> list[Part]:
    return [_part(lines, n_lines) for lines in packed if lines]


def _part(lines: Sequence[Line], n_lines: int) -> Part:
    hidden = sum(line.last - line.first + 1 for line in lines if line.text.lstrip()[:3] == MARK)
    first, last = lines[0].first, min(lines[-1].last, n_lines)
    return Part(first, last, "\n".join(line.text for line in lines), hidden)


def _blocks(lines: Sequence[Line], record: FileRecord, tokens: int) -> list[_Block]:
    """Returns the lines as blocks: those of the facts, and what stands between them."""
    kinds = _kinds(record)
    heads = {unit.line for unit in record.units}
    body = min(heads, default=0)
    out: list[_Block] = []
    current: tuple[int, int] | None = None
    for line in lines:
        span, kind = kinds.get(line.first, (None, ""))
        new_unit = line.first in heads
        if new_unit or (not kind and line.first < body):
            kind = "unit"  # what stands above all units says most of all
        begin = not out or new_unit or span != current or (span is None and line.gap)
        if (begin and out and span is not None) or new_unit:
            out.append(_Block(kind, _comments_above(out)))
        elif begin:
            out.append(_Block(kind, []))
        out[-1].lines.append(line)
        current = span
    whole = [block for block in out if block.lines]
    return [piece for block in whole for piece in _cut(block, tokens)]


def _comments_above(blocks: list[_Block]) -> list[Line]:
    """Removes the comments at the end of the last block and returns them, for the next block."""
    if not blocks:
        return []
    lines = blocks[-1].lines
    at = len(lines)
    while at and _COMMENT.match(lines[at - 1].text):
        at -= 1
        if lines[at].gap:
            break
    taken = lines[at:]
    del lines[at:]
    return taken


def _kinds(record: FileRecord) -> dict[int, tuple[tuple[int, int], str]]:
    """Returns the (first, last) lines and the kind of the block that each line belongs to."""
    spans: list[tuple[int, int, str]] = []
    for unit in record.units:
        spans += [(p.line, p.end_line, p.kind) for p in unit.processes if p.end_line > p.line]
        spans += [(r.line, r.end_line, "routine") for r in unit.routines]
        spans += [(t.line, t.end_line, "type") for t in unit.types]
        spans += [(i.line, i.end_line, "instance") for i in unit.instances]
    spans += [(r.line, r.end_line, "routine") for r in record.routines]
    spans += [(t.line, t.end_line, "type") for t in record.types]
    out: dict[int, tuple[tuple[int, int], str]] = {}
    for first, last, kind in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        if last - first > record.n_lines:
            continue
        for line in range(first, last + 1):
            out[line] = ((first, last), kind)  # of nested blocks the outer one counts
    return out


def _cut(block: _Block, tokens: int) -> list[_Block]:
    """Returns the block, in pieces where it exceeds a part: cut at gaps, else between lines."""
    if _size(block.lines) <= tokens:
        return [block]
    pieces: list[_Block] = []
    kind = block.kind
    room = 0
    limit = max(40, tokens // 4)
    for line in block.lines:
        size = _tokens(line.text)
        if size > limit:
            line = line._replace(text=clip_tokens(line.text, limit - 2) + MARK)
            size = _tokens(line.text)
        if not pieces or size > room or (line.gap and room < limit // 2):
            pieces.append(_Block(kind, []))
            kind = block.kind if block.kind != "unit" else ""
            room = limit
        pieces[-1].lines.append(line)
        room -= size
    return pieces


def _shorten(blocks: Sequence[_Block], room: int) -> None:
    """Shortens the blocks that say least for their length until all fit into `room` tokens.

    Marks of blocks left out whole are not counted: most of them join.
    """
    sizes = [_size(block.lines) for block in blocks]
    total = sum(sizes)
    queue: list[tuple[float, int, int, int]] = []

    def offer(at: int) -> None:
        """Queues the next state in which a block is shorter, by what is lost with it."""
        block = blocks[at]
        for state in range(block.state + 1, _NONE + 1):
            size = 0 if state == _NONE else _size(_Block(block.kind, block.lines, state).kept_lines)
            if size < sizes[at]:
                heapq.heappush(queue, (_worth(block) * _LOSS[state - 1], -at, state, size))
                break

    for at in range(len(blocks)):
        offer(at)
    while total > room and queue:
        _, minus, state, size = heapq.heappop(queue)
        blocks[-minus].state = state
        total += size - sizes[-minus]
        sizes[-minus] = size
        offer(-minus)


def _worth(block: _Block) -> float:
    """Returns how much information a block gives for its length."""
    size = _size(block.lines) or 1
    text = "\n".join(line.text for line in block.lines)
    notes = _size(line for line in block.lines if _COMMENT.match(line.text))
    weight = _WEIGHTS.get(block.kind, _WEIGHTS[""])
    if "unused" in text and size < 60:
        weight *= 0.1
    return weight * (0.6 + notes / size) / (1 + size / 300)


def _pack(blocks: Sequence[_Block], tokens: int) -> list[list[Line]]:
    """Returns the shown lines of the blocks in parts of at most `tokens`."""
    parts: list[list[Line]] = [[]]
    for block in blocks:
        longer = _joined_marks([*parts[-1], *block.kept_lines])
        if parts[-1] and _size(longer) > tokens:
            parts.append(block.kept_lines)
        else:
            parts[-1] = longer
    return parts
