"""Concepts that a language model extracted from explanations: their records and their file.

    concepts.jsonl    one line a file, sorted by path

A line counts as long as the words that the model was shown are the same (`key`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from hdlgraph.llm.quote import one_line
from hdlgraph.model import EdgeKind, FileRecord
from hdlgraph.store.jsonl import read_lines, write_lines

RELATIONS = (
    EdgeKind.IMPLEMENTS.value,
    EdgeKind.PARAMETERIZES.value,
    EdgeKind.CONNECTS.value,
    EdgeKind.DESCRIBED_BY.value,
)
MAX_NAME = 60  # characters of a concept
MAX_WORDS = 6
MAX_DESCRIPTION = 160
_ARTICLE = re.compile(r"^(?:the|an?|its|this)\s+")
_SINGULAR = frozenset(["series", "bias", "alias", "atlas", "canvas", "lens", "always"])
_IRREGULAR = {
    "buses": "bus",
    "busses": "bus",
    "statuses": "status",
    "caches": "cache",
    "matrices": "matrix",
    "indices": "index",
}


class Concept(msgspec.Struct, frozen=True):
    """A concept of a file. `element` is the declared name that realises it, "" for the file."""

    name: str
    description: str = ""
    element: str = ""
    relation: str = EdgeKind.IMPLEMENTS.value


class ConceptLink(msgspec.Struct, frozen=True):
    """One concept that serves, feeds or needs another."""

    source: str
    target: str
    description: str = ""


class FileConcepts(msgspec.Struct, frozen=True, kw_only=True):
    """What a model drew from one explanation; `unknown` elements were no names of the file.

    `about` is the digest of that explanation.
    """

    path: str
    key: str
    model: str
    concepts: tuple[Concept, ...] = ()
    links: tuple[ConceptLink, ...] = ()
    unknown: int = 0
    about: str = ""


def read_concepts(source: Path) -> dict[str, FileConcepts]:
    """Returns the concepts that a file of this module holds, by path."""
    return read_lines(source, FileConcepts)


def write_concepts(target: Path, files: Mapping[str, FileConcepts]) -> None:
    """Writes the concepts of all files by atomic rename."""
    write_lines(target, files)


def plain(text: object, limit: int) -> str:
    """Returns a model's text as one line without control characters, cut at `limit`."""
    return one_line(text[: 4 * limit], limit) if isinstance(text, str) else ""


def concept_name(text: object) -> str:
    """Returns a concept as a lower-case noun phrase in the singular, "" where it is none.

    Files write one idea in several ways; this form is what they share.
    """
    low = plain(text, 2 * MAX_NAME).casefold()
    low = " ".join(re.sub(r"[^\w+/&.-]+|(?<!\w)[./-]+|[./-]+(?!\w)", " ", low).split())
    words = _ARTICLE.sub("", low).replace("_", " ").split()
    if not words or len(words) > MAX_WORDS:
        return ""
    name = " ".join([*words[:-1], _singular(words[-1])])
    return name if 3 <= len(name) <= MAX_NAME and any(c.isalpha() for c in name) else ""


def _singular(word: str) -> str:
    if len(word) < 4 or word in _SINGULAR or word.endswith(("ss", "us", "is")):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def declared(record: FileRecord) -> Iterator[tuple[str, str]]:
    """Yields (name, kind) of what a file declares: units first, then what configures them."""
    for unit in record.units:
        yield unit.name, "unit"
    for parameters in (record.parameters, *(unit.parameters for unit in record.units)):
        yield from ((one.name, "parameter") for one in parameters)
    for unit in record.units:
        yield from ((one.name, "port") for one in unit.ports)
    for types in (record.types, *(unit.types for unit in record.units)):
        yield from ((one.name, "type") for one in types)
    for unit in record.units:
        yield from ((one.name, "signal") for one in unit.signals)
        yield from ((one.name, "instance") for one in unit.instances if one.name)
    for routines in (record.routines, *(unit.routines for unit in record.units)):
        yield from ((one.name, "routine") for one in routines)
    yield from ((macro.name, "macro") for macro in record.macros)


def fitting(relation: object, kind: str) -> str:
    """Returns the relation of an element of a kind ("" for the file) to its concept.

    What cannot be true of the kind counts as IMPLEMENTS: a module connects nothing by itself.
    """
    name = relation.strip().upper() if isinstance(relation, str) else ""
    fits = {
        EdgeKind.PARAMETERIZES.value: kind in ("parameter", "macro"),
        EdgeKind.CONNECTS.value: kind in ("port", "signal", "instance"),
        EdgeKind.DESCRIBED_BY.value: True,
    }
    return name if fits.get(name) else EdgeKind.IMPLEMENTS.value
