"""Tells an instance where its statement begins, a type and a base where their names stand.

There people read what is instantiated, and what is declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

import msgspec

from hdlgraph.results import Evidence, Hit

LONGEST = 60
"""Lines of a statement before the name of the instance: its parameters."""
BLANK = 4
"""Lines behind one among which the next one of code is looked for."""
LONGEST_TYPE = 400
"""Lines of a type that are looked through for its name, which stands behind its members."""
_DECLARED = re.compile(r"[\w$.:/]*?(?P<name>[\w$]+) is (?:declared|defined)$")
_EXTENDS = re.compile(r"[\w$]+ extends [\w$.:/]*?(?P<base>[\w$]+)(?:: .*)?$")
_INSTANCE = re.compile(r"(?P<unit>[\w$]+) as [\w$.\[\]]+$")


def from_the_start(hits: Iterable[Hit], read_text: Callable[[str], str]) -> tuple[Hit, ...]:
    """Returns hits whose evidence of an instance has the line on which its statement begins.

    Args:
        hits: with evidence by relations.
        read_text: gives a file's text as it was indexed, "" where that is not there any more.
    """
    lines = cache(lambda path: read_text(path).splitlines())
    return tuple(_hit(hit, lines) for hit in hits)


def _hit(hit: Hit, lines: Callable[[str], list[str]]) -> Hit:
    found = tuple(placed(one, lines) for one in hit.evidence)
    why = hit.why
    for old, new in zip(hit.evidence, found, strict=True):
        if old.line != new.line:
            was, now = f"{old.text} ({old.path}:{old.line})", f"{old.text} ({old.path}:{new.line})"
            why = tuple(one.replace(was, now) for one in why)
    return msgspec.structs.replace(hit, evidence=found, why=why)


def placed(one: Evidence, lines: Callable[[str], list[str]]) -> Evidence:
    """Returns evidence of a relation where its statement begins, other as it is.

    Args:
        one: the evidence.
        lines: gives the lines of a file.
    """
    derived = _EXTENDS.fullmatch(one.text) if one.kind == "relation" else None
    if derived:
        return _at(one, _extended(derived["base"], one.line, lines(one.path)))
    declared = _DECLARED.fullmatch(one.text) if one.kind == "relation" else None
    if declared:
        return _at(one, _named(declared["name"], one.line, lines(one.path)))
    unit = _INSTANCE.search(one.text.partition(", if ")[0]) if one.kind == "relation" else None
    if unit is None:
        return one
    # An instance may have the name of its unit: a bracket stands behind it, not behind the unit.
    text = lines(one.path)
    name = re.compile(rf"(?<![\w$.]){re.escape(unit['unit'])}(?![\w$])")
    for line in range(min(one.line, len(text)), max(0, one.line - LONGEST), -1):
        said = text[line - 1].partition("//")[0]
        found = name.search(said)
        behind = said[found.end() :].strip() if found else ""
        if found and not (behind or _code(text, line)).startswith("("):
            return _at(one, line)
        if line < one.line and ";" in said:
            break
    return one


def _named(name: str, line: int, text: list[str]) -> int:
    """Returns the line on which a name stands behind the members of the type that begins on one.

    It is the line given where the name stands there, or behind no members.
    """
    said = [one.partition("//")[0] for one in text[line - 1 : line - 1 + LONGEST_TYPE]]
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if not said or re.search(word, said[0]):
        return line
    whole = "\n".join(said)
    found = re.search(rf"\}}(?:\s|\[[^\]\n]*\])*(?P<name>{word})", whole)
    return line + whole.count("\n", 0, found.start("name")) if found else line


def _code(text: list[str], line: int) -> str:
    """Returns the next line of code behind one, "" where none is near."""
    rest = (one.partition("//")[0].strip() for one in text[line : line + BLANK])
    return next(filter(None, rest), "")


def _extended(base: str, line: int, text: list[str]) -> int:
    """Returns the line on which a class that begins on one names its base, that one for none.

    Parameters of the class may stand between.
    """
    name = re.compile(rf"\bextends\s+(?:[\w$]+::)*{re.escape(base)}(?![\w$])")
    for at in range(line, min(line + LONGEST, len(text)) + 1):
        said = text[at - 1].partition("//")[0]
        if name.search(said):
            return at
        if ";" in said:
            break
    return line


def _at(one: Evidence, line: int) -> Evidence:
    """Returns evidence at another line."""
    walk = tuple(step.replace(f":{one.line})", f":{line})") for step in one.walk)
    return msgspec.structs.replace(one, line=line, walk=walk)
