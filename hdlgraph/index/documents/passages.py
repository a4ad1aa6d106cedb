"""Makes passages of sections and of registers; what is there twice becomes one passage."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hdlgraph.parsers.documents.records import Document, Section
from hdlgraph.store.design.registers import Field, Register, RegisterBlock
from hdlgraph.store.documents.records import (
    DOC,
    REGISTER,
    Contents,
    Place,
    StoredDocument,
    StoredPassage,
)

COPIES = 200
"""Places of one passage that are kept."""
FIELDS = 200
"""Fields of a register whose lines are shown."""
ASIDE = -0.2
"""Added to the score of what seldom answers: checklists, test plans, copies of other projects."""
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:vendor|vendored|third[-_]?party|3rd[-_]?party|external|extern)/"
    r"|checklist|test[-_]?plan|change[-_]?log|release[-_]?notes|(?:^|/)(?:autogen|generated)/"
    r"|(?:^|/)(?:licen[cs]e|contributing|code[-_]of[-_]conduct)\b"
)


class Source(NamedTuple):
    """A document that was read: where it is cited, its format and domain, what it holds."""

    path: str
    format: str
    domain: str
    document: Document


class _Piece(NamedTuple):
    kind: str
    title: str
    crumbs: tuple[str, ...]
    text: str
    place: Place
    prior: float


def make_contents(sources: Sequence[Source], blocks: Sequence[RegisterBlock]) -> Contents:
    """Returns the documents and passages, without links.

    Args:
        sources: what was read of the documents, sorted by path.
        blocks: the registers of the repository.
    """
    documents = [_stored(one) for one in sources]
    pieces = [piece for n, one in enumerate(sources) for piece in _sections(n, one)]
    for path, described in _by_path(blocks):
        number = len(documents)
        count = sum(len(block.registers) for block in described)
        first = described[0]
        documents.append(StoredDocument(path, first.format, first.name, first.name, 0, count))
        pieces += [piece for block in described for piece in _registers(number, block)]
    return Contents(tuple(documents), tuple(_folded(pieces)))


def _stored(one: Source) -> StoredDocument:
    found = one.document
    return StoredDocument(
        one.path,
        one.format,
        found.title,
        one.domain,
        found.pages,
        len(found.sections),
        found.problems,
    )


def _sections(number: int, one: Source) -> Iterator[_Piece]:
    prior = ASIDE if _ASIDE.search(one.path) else 0.0
    above = one.document.title
    for section in one.document.sections:
        if not section.title and not section.text.strip():
            continue
        yield _Piece(
            DOC,
            section.title or above,
            _crumbs(above, section),
            section.text,
            Place(number, section.line, section.end_line, section.page, section.anchor),
            prior,
        )


def _crumbs(title: str, section: Section) -> tuple[str, ...]:
    """Returns the titles above a section, that of the document first."""
    first = () if not title or title in (*section.crumbs[:1], section.title) else (title,)
    return (*first, *section.crumbs)


def _by_path(blocks: Sequence[RegisterBlock]) -> list[tuple[str, list[RegisterBlock]]]:
    found: dict[str, list[RegisterBlock]] = {}
    for block in blocks:
        found.setdefault(block.path, []).append(block)
    return sorted(found.items())


def _registers(number: int, block: RegisterBlock) -> Iterator[_Piece]:
    prior = ASIDE if _ASIDE.search(block.path) else 0.0
    for one in block.registers:
        place = Place(number, one.line, max([one.line, *(field.line for field in one.fields)]))
        title = f"{block.name}.{one.name}"
        yield _Piece(REGISTER, title, (block.name,), register_text(one), place, prior)


def register_text(one: Register) -> str:
    """Returns a register in words: what it is for, then a line for each of its fields."""
    head = f"{one.kind} {one.name}"
    if one.offset >= 0:
        head += f", offset 0x{one.offset:x}"
    if one.access:
        head += f", {one.access}"
    if one.copies > 1:
        head += f", {one.copies} of them"
    lines = [head, one.text] if one.text else [head]
    return "\n".join([*lines, *(_field(field) for field in one.fields[:FIELDS])])


def _field(one: Field) -> str:
    bits = ""
    if one.lsb >= 0:
        bits = f"[{one.lsb + one.width - 1}:{one.lsb}] " if one.width > 1 else f"[{one.lsb}] "
    told = ", ".join(filter(None, (one.access, f"reset {one.reset}" if one.reset else "")))
    return f"{bits}{one.name}{f' ({told})' if told else ''}{f': {one.text}' if one.text else ''}"


def _folded(pieces: Sequence[_Piece]) -> Iterator[StoredPassage]:
    """Yields the passages in order; the same words under the same title are one of them."""
    groups: dict[bytes, list[_Piece]] = {}
    for piece in pieces:
        words = f"{piece.kind}\0{piece.title}\0{' '.join(piece.text.split())}"
        groups.setdefault(hashlib.sha256(words.encode()).digest(), []).append(piece)
    for group in groups.values():
        # Of copies the one shown first is the project's own; the order of paths decides else.
        best = max(group, key=lambda one: one.prior)
        others = [one.place for one in group if one is not best]
        places = (best.place, *others)[:COPIES]
        yield StoredPassage(best.kind, best.title, best.crumbs, best.text, places, best.prior)
