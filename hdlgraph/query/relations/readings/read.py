"""Reads a question of no known form: which relations it may ask for, of what, how likely each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.relations.detect import FILE_OF
from hdlgraph.query.relations.readings.clauses import (
    DO,
    WH,
    Parted,
    cut,
    has_name,
    pair,
    parted,
)
from hdlgraph.query.relations.readings.cues import BETWEEN, JOINED, TESTED, cues
from hdlgraph.query.relations.readings.likely import chance, features
from hdlgraph.query.relations.readings.sides import of_cue
from hdlgraph.query.relations.sought import Asked, Sought

MOST = 3
"""Readings of one question."""
MAX_CHARS = 240
WITHOUT_WH = 0.72
"""Share of a cue's sureness in a phrase without a question word."""
_TELLS = re.compile(
    r"^(?:how|why|when|can|compare)\b|\b(?:how|why|whether|what if|what happens|difference)\b"
    r"|(?:,|,? and|;|[.?]) (?:and )?(?:when|what|how|why)\b"
    r"(?! (?:is it|is that|block|unit|module|cell|gets)\b)"
    r"|\bwhat (?:states|conditions|modes|values|effect|does it mean|goes wrong)\b",
    re.I,
)
_HEAD = re.compile(
    r"^(?:and )?(?:in |by |on )?"
    r"(?:(?:which|what|is there|are there|where is|the|a|an|any|find|show) )*"
    r"(?:(?!of |in |the |do |does )[\w-]+ ){0,3}$",
    re.I,
)
_BENCH_WORDS = re.compile(
    r"\b(?:which|what|where|is|are|there|a|an|the|standalone|stand-alone|that|for|of|in|and|to|"
    r"alone|on its own|by itself|somewhere|exercises?|tests?|simulated|simulates?|runs?|drives?|"
    r"checks?|watches|stimulates?|verif(?:y|ies)|talks?|,)(?!\w)",
    re.I,
)
_PLACED = re.compile(
    r"\b(?:is|are|sits?|lies?|stands?|comes?|goes|lives?|in|located|placed|found|inserted) $", re.I
)
_CHILD = re.compile(r"^[\w -]{0,12}\b(?:child|children|sub-?(?:modules?|blocks?|units?))\b", re.I)
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_CHOICE = re.compile(r"\b(?:parameters?|defines?|macros?|generate|ifdef)\b", re.I)


class Reading(NamedTuple):
    """One relation that a question may ask for, and how likely it does, 0 to 1."""

    asked: Asked
    likely: float


def readings(question: str) -> list[Reading]:
    """Returns what a question may ask for, the likeliest first; nothing where it tells a story."""
    order = possible(question)
    if not order:
        return []
    asked, most = order[0]
    values = features(question, asked.sought, asked.name, asked.type, most, has_name(asked.name))
    share = chance(values) / most
    return [Reading(one.asked, one.likely * share) for one in order]


def possible(question: str) -> list[Reading]:
    """Returns what the cues of a question may mean, each with how sure it is."""
    text = " ".join(question[: MAX_CHARS + 1].replace("\u2019", "'").replace("`", "").split())
    if len(text) > MAX_CHARS or _TELLS.search(text):
        return []
    found: dict[Asked, float] = {}
    for one in _all(parted(text.rstrip(" ?.!")), text):
        if len(one.asked.name) > 1:
            found[one.asked] = max(one.likely, found.get(one.asked, 0.0))
    order = sorted(found.items(), key=lambda item: -item[1])[:MOST]
    return [Reading(asked, likely) for asked, likely in order]


def _all(said: Parted, question: str) -> Iterator[Reading]:
    text = said.text
    yield from _joined(text, said.topic)
    bench = TESTED.search(text)
    if bench and _HEAD.match(text[: bench.start()]):
        rest = f"{text[: bench.start()]} {text[bench.end() :]}"
        name = said.topic or " ".join(_BENCH_WORDS.sub(" ", rest).split())
        yield Reading(Asked(Sought.TESTS, name, type=text), 0.75)
    called, topic = _called(text), said.topic
    if topic and (has_name(topic) or " " not in topic) and _CHILD.search(called):
        yield Reading(Asked(Sought.CHILDREN, topic, type=called), 0.9)
    settings = _CAPITALS.findall(question)
    if settings and _CHOICE.search(question):
        yield Reading(Asked(Sought.CONFIGURED, " ".join(settings), type=called), 0.7)
    share = 1.0 if WH.search(text) else WITHOUT_WH
    of_file = FILE_OF.match(text) is not None
    for cue in cues(text):
        asked = of_cue(text, cue, said)
        if asked is not None and not (of_file and asked.sought is Sought.PARENTS):
            yield Reading(asked, cue.cue.sure * (1.0 if cue.cue.noun else share))


def _joined(text: str, topic: str) -> Iterator[Reading]:
    """Yields the readings as a question for what stands between two things, or joins them."""
    between = BETWEEN.search(text)
    if between and _PLACED.search(text[: between.start()]):
        two = pair(text[between.end() :]) or pair(topic)
        if two:
            before = text[: between.start()]
            sure = 0.5 if before.lower().startswith("where") else 0.9
            yield Reading(Asked(Sought.MIDDLE, two[0], two[1], _called(before)), sure)
            yield Reading(Asked(Sought.BETWEEN, two[0], two[1]), 0.6)
    joined = JOINED.search(text)
    if joined and WH.match(text) and (two := pair(_subject(text[: joined.start()]))):
        yield Reading(Asked(Sought.BETWEEN, two[0], cut(two[1])), 0.8)


def _subject(text: str) -> str:
    found = WH.search(text)
    rest = text[found.end() :] if found else text
    inverted = DO.match(rest)
    return inverted["name"] if inverted else rest


def _called(text: str) -> str:
    """Returns what the answer is called: the words behind the question word."""
    found = WH.search(text)
    return cut(text[found.end() :] if found else text)
