"""Reads a question of no known form: which relations it may ask for, of what, how likely each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.relations.asked import Asked, Sought
from hdlgraph.query.relations.readings.clauses import WH, Parted, cut, pair, parted
from hdlgraph.query.relations.readings.cues import BETWEEN, JOINED, TESTED, Said, cues
from hdlgraph.query.relations.readings.likely import chance, features

MOST = 3
"""Readings of one question."""
MAX_CHARS = 240
_DO = re.compile(
    r"^(?P<type>.*?)\b(?:does|do|did|can|could|will|is|are|was|were|gets?|has|have)\b(?P<name>.+)$",
    re.I,
)
_DO_ONLY = re.compile(r"\b(?:are|is|the|all|direct)\b", re.I)
_PLACED = re.compile(
    r"\b(?:is|are|sits?|lies?|stands?|comes?|goes|lives?|in|located|placed|found|inserted) $", re.I
)
_CHILD = re.compile(r"\b(?:child|children|sub-?(?:modules?|blocks?|units?)|helper)\b", re.I)
_CLOCKING = re.compile(r"^(?:(?P<owner>.+)'s (?P<what>\w+)|(?P<that>clock|reset) (?:of|for) (?P<name>.+))$", re.I)
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_CHOICE = re.compile(r"\b(?:parameters?|defines?|macros?|generate|ifdef)\b", re.I)
_UNITS = re.compile(r"^(?:[\w-]+ ){0,2}(?:unit|module|block|cell|implementation|version|variant)\b", re.I)
_HEAD = re.compile(
    r"^(?:and )?(?:in |by |on )?(?:(?:which|what|is there|are there|where is|the|a|an|any|find|show) )*"
    r"(?:(?!of |in |the |do |does )[\w-]+ ){0,3}$",
    re.I,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9$]*_[\w$]+|\w+_t\b|\b[A-Z][A-Z0-9]{3,}\b")
_TELLS = re.compile(
    r"^(?:how|why|when|can|compare)\b|\b(?:how|why|whether|what if|what happens|difference)\b"
    r"|(?:,|,? and|;|[.?]) (?:and )?(?:when|what|how|why)\b(?! (?:is it|is that|block|unit|module|cell|gets))"
    r"|\bwhat (?:states|conditions|modes|values|effect|does it mean|goes wrong)\b",
    re.I,
)
_TYPES = re.compile(r"\b(?:struct|typedef|enum|macro|type|define|codes?|constants?|offset|union)\b"
                    r"|_t\b|_s\b|\b[A-Z][A-Z0-9_]{3,}\b")  # fmt: skip
_SETTING = re.compile(r"\b[A-Z][A-Z0-9_]{3,}\b|\bparameters?\b|\bdefine\b|\bifdef\b|= ?\w+"
                      r"|\b[A-Z]\w+[a-z]\w*[A-Z]\w* is \w+")  # fmt: skip


class Reading(NamedTuple):
    """One relation that a question may ask for, and how likely it does, 0 to 1."""

    asked: Asked
    likely: float


def has_name(text: str) -> bool:
    """Returns whether a question has something written like a name of a design in it."""
    return _NAME.search(text) is not None


def readings(question: str, raw: bool = False) -> list[Reading]:
    """Returns what a question may ask for, the likeliest first; nothing where it tells a story."""
    text = " ".join(question[: MAX_CHARS + 1].replace("\u2019", "'").replace("`", "").split())
    if len(text) > MAX_CHARS or _TELLS.search(text):
        return []
    found: dict[Asked, float] = {}
    for one in _all(parted(text.rstrip(" ?.!")), text):
        if len(one.asked.name) > 1:
            found[one.asked] = max(one.likely, found.get(one.asked, 0.0))
    order = sorted(found.items(), key=lambda item: -item[1])[:MOST]
    if raw or not order:
        return [Reading(asked, likely) for asked, likely in order]
    asked, most = order[0]
    values = features(text, asked.sought, asked.name, asked.type, most, has_name(asked.name))
    share = chance(values) / most
    return [Reading(asked, likely * share) for asked, likely in order]


def _all(said: Parted, question: str) -> Iterator[Reading]:
    text = said.text
    place = f" in {said.place}" if said.place else ""
    between = BETWEEN.search(text)
    if between and _PLACED.search(text[: between.start()]):
        two = pair(text[between.end() :]) or pair(said.topic)
        if two:
            kind = _called(text[: between.start()])
            where = text[: between.start()].lower().startswith("where")
            yield Reading(Asked(Sought.MIDDLE, two[0], two[1], kind), 0.5 if where else 0.9)
            yield Reading(Asked(Sought.BETWEEN, two[0], two[1]), 0.6)
    bench = TESTED.search(text)
    if bench:
        yield from _tests(text, bench, said.topic)
    joined = JOINED.search(text)
    if joined and WH.match(text) and (two := pair(_subject(text[: joined.start()]))):
        yield Reading(Asked(Sought.BETWEEN, two[0], cut(two[1])), 0.8)
    if said.topic and has_name(said.topic) | (" " not in said.topic) and _CHILD.search(_called(text)[:30]):
        yield Reading(Asked(Sought.CHILDREN, said.topic, type=_called(text)), 0.9)
    settings = _CAPITALS.findall(question)
    if settings and _CHOICE.search(question):
        yield Reading(Asked(Sought.CONFIGURED, " ".join(settings), type=_called(text)), 0.7)
    for cue in cues(text):
        one = _of_cue(text, cue, said, place)
        if one is not None:
            yield one


def _tests(text: str, bench: re.Match[str], topic: str) -> Iterator[Reading]:
    """Yields the reading as a question for a testbench of what else the question names."""
    rest = f"{text[: bench.start()]} {text[bench.end() :]}"
    name = re.sub(
        r"\b(?:which|what|where|is|are|there|a|an|the|standalone|stand-alone|that|for|of|in|and|"
        r"alone|on its own|by itself|somewhere|exercises?|tests?|simulated|simulates?|runs?|"
        r"drives?|checks?|watches|hammers?|programs|stimulates?|verif(?:y|ies)|talks?|to)\b",
        " ", rest, flags=re.I,
    )  # fmt: skip
    first = _HEAD.match(text[: bench.start()])
    if topic:
        name = topic
    if first:
        yield Reading(Asked(Sought.TESTS, " ".join(name.replace(",", " ").split()), type=text), 0.75)


def _subject(text: str) -> str:
    found = WH.search(text)
    rest = text[found.end() :] if found else text
    inverted = _DO.match(rest)
    return inverted["name"] if inverted else rest


def _called(text: str) -> str:
    """Returns what the answer is called: the words behind the question word."""
    found = WH.search(text)
    return cut(text[found.end() :] if found else text)


def _of_cue(text: str, said: Said, parts: Parted, place: str) -> Reading | None:
    left, right = text[: said.start], text[said.end :]
    right = re.sub(r"^\s*(?:\w+ly )?(?:by|on ?to|into)\b", "", right) if said.passive else right
    sure = said.cue.sure
    behind, before = WH.search(right), WH.search(left)
    if said.cue.first is Sought.BOUND:
        return _bound(left, right, said)
    if said.cue.noun and not behind:
        found = re.split(r",| that | which ", right, maxsplit=1)
        kind = cut(left[before.end() :] if before else "") + " " + " ".join(found[1:])
        return Reading(Asked(said.cue.first, cut(found[0]), type=_DO_ONLY.sub("", kind).strip()), sure)
    if said.cue.first is Sought.CHILDREN and said.cue.sure < 0.6 and not (
        before and (before["wh"].lower() == "where" or before["prep"])
    ):
        return None  # what sits somewhere says where
    if behind and not before:
        name, kind = cut(left), cut(right[behind.end() :])
        first = said.passive
        place_asked = behind["wh"].lower() == "where"
    elif before:
        rest = left[before.end() :]
        inverted = _DO.match(rest)
        place_asked = before["wh"].lower() == "where" or (before["prep"] or "").lower() == "in"
        if inverted and len(cut(inverted["name"])) > 2:
            name, kind = cut(inverted["name"]), cut(inverted["type"]) + " " + cut(right)
            first = said.passive
        else:
            name, kind = cut(right), cut(rest)
            first = not said.passive
    else:
        name, kind, place_asked = cut(right), cut(left), False
        first = not said.passive
        sure *= 0.8
    if parts.topic and (
        not name or (not parts.filled and not has_name(name) and has_name(parts.topic))
    ):
        kind = f"{kind} {name}"
        name = parts.topic
    sought = said.cue.first if first else said.cue.second
    if not name or not _fits(sought, text, parts):
        return None
    clocking = _CLOCKING.match(name) if sought is Sought.DRIVERS else None
    if clocking and (what := (clocking["what"] or clocking["that"]).lower()) in ("clock", "reset"):
        sought = Sought.CLOCKS if what == "clock" else Sought.RESETS
        name = cut(clocking["owner"] or clocking["name"])
    if sought in (Sought.SETTINGS, Sought.CONFIGURED) and before and _UNITS.search(kind):
        sought = Sought.CHILDREN  # "which unit does it pick": one of its own
    asked = Asked(sought, name + (place if not has_name(name) else ""), type=kind.strip(),
                  place=place_asked)  # fmt: skip
    return Reading(asked, sure * (1.0 if before or behind else 0.9))


def _bound(left: str, right: str, said: Said) -> Reading | None:
    """Returns the reading of "X binds A onto B": what is bound into B, or into what A is."""
    before, onto = WH.search(left), re.search(r"\b(?:on ?to|into|to)\b(?= )", right, re.I)
    if re.search(r"\b(?:on ?to|into|to)$", left[: said.start].strip()) or not right.strip():
        onto = None
    told = right[onto.end() :] if onto else ""
    if WH.search(told) or (before and (before["prep"] or "").lower() in ("onto", "into", "to")):
        name = right[: onto.start()] if onto else right or left
        return Reading(Asked(Sought.BIND_TARGETS, cut(name)), said.cue.sure)
    if told:
        kind = cut(f"{left[before.end():] if before else left} {right[:onto.start()]}")
        return Reading(Asked(Sought.BOUND, cut(told), type=kind, place=True), said.cue.sure)
    if before and cut(right):
        return Reading(Asked(Sought.BOUND, cut(right), type=cut(left[before.end() :])), said.cue.sure)
    return None


def _fits(sought: Sought, text: str, parts: Parted) -> bool:
    whole = f"{parts.topic} {text}"
    if sought is Sought.DEFINITION:
        return _TYPES.search(whole) is not None
    if sought in (Sought.CONFIGURED, Sought.SETTINGS):
        return _SETTING.search(whole) is not None
    return True
