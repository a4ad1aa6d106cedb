"""Key phrases of a file: protocols, structures, state machines and what its names talk about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from hdlgraph.index.explain.by_rules.behaviour import machine_types
from hdlgraph.index.explain.by_rules.phrases import Vocabulary
from hdlgraph.index.explain.by_rules.protocols import port_groups
from hdlgraph.index.explain.by_rules.spelling import Short
from hdlgraph.knowledge.glossary import UVM_BASES, VERIFICATION, glossary
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import FileRecord, Unit

_MAX_CONCEPTS = 14
_DULL = frozenset(
    """data value valid enable clock reset input output signal temporary unused next register
        select write read address width size type state result index bits count number
        name""".split()
)

_OPERATIONS = {
    "arbitrates": "round-robin arbitration",
    "picks lowest": "fixed-priority arbitration",
    "decodes address": "address decoder",
    "memory": "memory array",
    "computes CRC": "cyclic redundancy check",
    "linear feedback": "linear-feedback shift register",
    "encodes gray": "Gray code",
    "decodes gray": "Gray code",
    "synchronises": "clock domain crossing",
    "counts ones": "population count",
    "multiplies": "multiplier",
    "divides": "divider",
    "detects edge": "edge detection",
    "saturates": "saturation",
    "swaps bytes": "byte order",
    "computes parity": "parity",
    "drives pad": "three-state output",
}
"""What a file is about whose code does it."""


@lru_cache(maxsize=8)
def _by_lower_case(projects: Projects) -> dict[str, tuple[str, str]]:
    return {term.lower(): (term, does) for term, does in glossary(projects).items()}


def glosses(words: str, limit: int = 2, projects: Projects = ()) -> list[tuple[str, str]]:
    """Returns (term, what it does) for the known structures that `words` name, longest first."""
    padded = " ".join(words.lower().split())
    table = _by_lower_case(projects)
    found: list[tuple[str, str]] = []
    for size in (5, 4, 3, 2, 1):
        tokens = padded.split()
        for start in range(len(tokens) - size, -1, -1):
            term = " ".join(tokens[start : start + size])
            known = table.get(term)
            if known and not any(term in other.lower() for other, _ in found):
                found.append(known)
    return found[:limit]


def verification_role(unit: Unit) -> str:
    """Returns the role of a class by its own name or its base class ("driver"), or ""."""
    for name in (unit.name, unit.extends.partition("#")[0].rpartition("::")[2]):
        pieces = [p for p in name.strip().split("_") if p]
        for size in (2, 1):
            role = UVM_BASES.get("_".join(pieces[-size:])) if len(pieces) >= size else None
            if role:
                return role
    return ""


def role_gloss(role: str) -> str:
    """Returns what a verification component of this role does."""
    return VERIFICATION.get(role, "")


def concepts(
    record: FileRecord, vocabulary: Vocabulary, short: Short | None = None
) -> tuple[str, ...]:
    """Returns the sorted key phrases of a file, at most 14.

    Args:
        record: the facts of the file.
        vocabulary: says what names mean.
        short: words the phrases instead, for people; None spells everything out.
    """
    phrases = short or vocabulary
    found: dict[str, None] = {}
    for unit in record.units[:8]:
        for group in port_groups(unit.ports):
            found.setdefault(group.protocol)
        words = vocabulary.words(unit.name)
        for term, _ in glosses(words, 3, vocabulary.projects):
            found.setdefault(short.term(term) if short else term)
        if unit.kind == "class" and verification_role(unit):
            found.setdefault("UVM " + verification_role(unit))
    if machine_types(record) or any(unit.machines for unit in record.units):
        found.setdefault("state machine")
    operations = (one for unit in record.units[:8] for one in unit.operations)
    done = {_OPERATIONS[one.kind]: None for one in operations if one.kind in _OPERATIONS}
    described = bool(record.header or any(unit.comment for unit in record.units))
    # Where nobody says what a file is for, what its code does says more than its names.
    found.update({} if described else done)
    names = [s.name for u in record.units for s in u.signals]
    names += [i.unit for u in record.units for i in u.instances]
    for phrase in _frequent(names, phrases):
        found.setdefault(phrase)
    found.update(done if described else {})
    return tuple(sorted(list(found)[:_MAX_CONCEPTS]))


@lru_cache(maxsize=1 << 16)
def _phrase(words: str) -> str:
    """Returns the first useful words of a name, "" for one of a single useful word."""
    useful = [token for token in re.findall(r"[A-Za-z-]{2,}", words) if token not in _DULL]
    return " ".join(useful[:4]) if len(useful) > 1 else ""


def _frequent(names: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    """Returns the phrases of two or more words that names share most, at most 8."""
    counts: Counter[str] = Counter()
    for name in names:
        if phrase := _phrase(vocabulary.words(name)):
            counts[phrase] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [phrase for phrase, _ in ordered[:8]]
