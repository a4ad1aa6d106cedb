"""Reads a cue of a question: which side of it names a thing, and which one asks."""

from __future__ import annotations

import re

from hdlgraph.query.relations.readings.clauses import DO, WH, Parted, cut, has_name
from hdlgraph.query.relations.readings.cues import Said
from hdlgraph.query.relations.sought import Asked, Sought

_ONLY = re.compile(r"\b(?:are|is|the|all|direct)\b", re.I)
_TYPES = re.compile(
    r"\b(?:struct|typedef|enum|macro|type|define|codes?|constants?|offset|union)\b"
    r"|_t\b|_s\b|\b[A-Z][A-Z0-9_]{3,}\b"
)
_SETTING = re.compile(
    r"\b[A-Z][A-Z0-9_]{3,}\b|\bparameters?\b|\bdefine\b|\bifdef\b|= ?\w+"
    r"|\b[A-Z]\w+[a-z]\w*[A-Z]\w* is \w+"
)
_CLOCKING = re.compile(
    r"^(?:(?P<owner>.+)'s (?P<what>\w+)|(?P<that>clock|reset) (?:of|for) (?P<name>.+))$", re.I
)
_UNITS = re.compile(
    r"^(?:[\w-]+ ){0,2}(?:unit|module|block|cell|implementation|version|variant)\b", re.I
)
_ONTO = re.compile(r"\b(?:on ?to|into|to)\b(?= )", re.I)
UNSURE = 0.6
"""Cues that are less sure say where something sits only if the question asks where."""


def of_cue(text: str, said: Said, parts: Parted) -> Asked | None:
    """Returns what a cue asks for, None where it asks for nothing here.

    Args:
        text: the question.
        said: the cue in it.
        parts: what stands before the question.
    """
    left, right = text[: said.start], text[said.end :]
    right = re.sub(r"^\s*(?:\w+ly )?(?:by|on ?to|into)\b", "", right) if said.passive else right
    behind, before = WH.search(right), WH.search(left)
    if said.cue.first is Sought.BOUND:
        return _bound(left, right, before)
    if said.cue.noun and not behind:
        found = re.split(r",| that | which ", right, maxsplit=1)
        kind = cut(left[before.end() :] if before else "") + " " + " ".join(found[1:])
        return Asked(said.cue.first, cut(found[0]), type=_ONLY.sub("", kind).strip())
    if said.cue.first is Sought.CHILDREN and said.cue.sure < UNSURE and not _asks_where(before):
        return None
    name, kind, first = _sides(left, right, said.passive, before, behind)
    if parts.topic and (
        not name or (not parts.filled and not has_name(name) and has_name(parts.topic))
    ):
        kind, name = f"{kind} {name}", parts.topic
    sought = said.cue.first if first else said.cue.second
    if not name or not _fits(sought, f"{parts.topic} {text}"):
        return None
    sought, name = _narrowed(sought, name, kind if before else "")
    if parts.place and not has_name(name):
        name = f"{name} in {parts.place}"
    return Asked(sought, name, type=kind.strip(), place=_asks_place(before, behind))


def _sides(
    left: str,
    right: str,
    passive: bool,
    before: re.Match[str] | None,
    behind: re.Match[str] | None,
) -> tuple[str, str, bool]:
    """Returns what a question names, what it calls the answer, and whether that does it."""
    if behind and not before:
        return cut(left), cut(right[behind.end() :]), passive
    if before is None:
        return cut(right), cut(left), not passive
    rest = left[before.end() :]
    inverted = DO.match(rest)
    if inverted and len(cut(inverted["name"])) > 2:
        return cut(inverted["name"]), f"{cut(inverted['type'])} {cut(right)}", passive
    return cut(right), cut(rest), not passive


def _asks_where(before: re.Match[str] | None) -> bool:
    return before is not None and (before["wh"].lower() == "where" or bool(before["prep"]))


def _asks_place(before: re.Match[str] | None, behind: re.Match[str] | None) -> bool:
    if before is None:
        return behind is not None and behind["wh"].lower() == "where"
    return before["wh"].lower() == "where" or (before["prep"] or "").lower() == "in"


def _narrowed(sought: Sought, name: str, kind: str) -> tuple[Sought, str]:
    """Returns what is sought more exactly: the clock of a unit, one of its units."""
    clocking = _CLOCKING.match(name) if sought is Sought.DRIVERS else None
    if clocking:
        what = (clocking["what"] or clocking["that"]).lower()
        if what in ("clock", "reset"):
            owner = cut(clocking["owner"] or clocking["name"])
            return (Sought.CLOCKS if what == "clock" else Sought.RESETS), owner
    if sought in (Sought.SETTINGS, Sought.CONFIGURED) and _UNITS.search(kind):
        return Sought.CHILDREN, name  # "which unit does it pick": one of its own
    return sought, name


def _bound(left: str, right: str, before: re.Match[str] | None) -> Asked | None:
    """Returns the question of "X binds A onto B": what is bound into B, or into what A is."""
    onto = _ONTO.search(right)
    told = right[onto.end() :] if onto else ""
    given = right[: onto.start()] if onto else ""
    inverted = DO.match(left[before.end() :]) if before else None
    if inverted and has_name(inverted["name"]) and _asks_where(before):
        return Asked(Sought.BIND_TARGETS, cut(inverted["name"]))
    if WH.search(told) or (before and (before["prep"] or "").lower() in ("onto", "into", "to")):
        return Asked(Sought.BIND_TARGETS, cut(given or right or left))
    if told:
        kind = cut(f"{left[before.end() :] if before else left} {given}")
        return Asked(Sought.BOUND, cut(told), type=kind, place=True)
    if before and cut(right):
        return Asked(Sought.BOUND, cut(right), type=cut(left[before.end() :]))
    return None


def _fits(sought: Sought, whole: str) -> bool:
    if sought is Sought.DEFINITION:
        return _TYPES.search(whole) is not None
    if sought in (Sought.CONFIGURED, Sought.SETTINGS):
        return _SETTING.search(whole) is not None
    return True
