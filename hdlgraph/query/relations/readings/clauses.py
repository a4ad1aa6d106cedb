"""Splits a question into what it is about, its question word, and what that is called."""

from __future__ import annotations

import re
from typing import NamedTuple

from hdlgraph.query.question.wording import is_pasted

WH = re.compile(
    r"\b(?:(?P<prep>in|of|to|by|from|into|onto|on|inside|through|below|within|under|with) )?"
    r"(?P<wh>which|what|who|whose|whom|where)\b"
    r"(?: (?:other|one|all))?",
    re.I,
)
LEAD = re.compile(
    r"^(?:please )?(?:i (?:need|want|seek)|(?:i am |i'm )?(?:after|looking for|searching for)"
    r"|(?:show|find|give)(?: me)?|name|open|locate|is there|are there)\b"
    r"(?: (?:the|a|an|any|some))?", re.I,
)  # fmt: skip
"""Asks for what is named behind it without a question word."""
DO = re.compile(
    r"^(?P<type>.*?)\b(?:does|do|did|can|could|will|is|are|was|were|gets?|has|have)\b(?P<name>.+)$",
    re.I,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9$]*_[\w$]+|\w+_t\b|\b[A-Z][A-Z0-9]{3,}\b")
_TOPIC = re.compile(
    r"^(?P<topic>[^?]{2,110}?)(?:: | - |, |; |\? )(?P<rest>(?:and )?(?:\w+ (?=of ))?"
    r"(?:in |of |by |to |from |into |onto |on |through |inside |declared |defined |driven |output "
    r"|fed |read |used )*"
    r"(?:of )?(?:which|what|who|where)\b.*)$",
    re.I,
)
_PLACE = re.compile(
    r"^(?:somewhere )?(?:in|inside|within|for|from|under|below|on|at|of|beneath)\b (?:the )?", re.I
)
_IT = re.compile(r"\b(?:it|them|they|this|that (?:block|unit|module|cell|signal|one))\b", re.I)
_ITS = re.compile(r"\bits\b", re.I)
_PAIR = re.compile(r"^(?P<name>.+?) (?:and|to|with) (?P<other>.+)$", re.I)
_TAIL = re.compile(
    r"(?:,| and (?=which|what|who|where|how)| when | while | if | so that | because | as an? "
    r"| unless ).*$",
    re.I,
)
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|any|all|both|its|of|to|by|from|in|up|out of|only|actually|onto|into|on"
    r"|with) )+",
    re.I,
)
_ENDS = re.compile(r"(?:\s|[?.!,;:]|\b(?:is|are|was|get|gets|does|do|and|be|actually|only|itself|"
                   r"internally|directly|exactly))+$", re.I)  # fmt: skip


def wanted_at(text: str) -> tuple[int, int] | None:
    """Returns from where to where the words stand behind which a question names what it wants."""
    found = WH.search(text)
    if found:
        return found.start("wh"), found.end()
    lead = LEAD.search(text)
    return lead.span() if lead else None


class Parted(NamedTuple):
    """A question: what stands before it, and the question itself with names in place of "it"."""

    topic: str
    place: str
    text: str
    filled: bool


def parted(text: str) -> Parted:
    """Returns a question without the topic or the place that stands before its question word."""
    found = _TOPIC.match(text)
    if not found or WH.search(found["topic"]):
        return Parted("", "", text, filled=False)
    topic, rest = found["topic"], found["rest"]
    if _PLACE.match(topic):
        return Parted("", _PLACE.sub("", topic), rest, filled=False)
    name = cut(topic)
    filled = _ITS.sub(lambda _: f"the {name}'s", _IT.sub(lambda _: name, rest, count=1), count=1)
    return Parted(name, "", filled, filled=filled != rest)


def cut(phrase: str) -> str:
    """Returns a phrase that names a thing without articles and what only closes it."""
    phrase = _ENDS.sub("", _TAIL.sub("", phrase.strip()))
    return _ARTICLE.sub("", phrase).strip()


def pair(phrase: str) -> tuple[str, str] | None:
    """Returns the two things of "A and B", None where there are no two."""
    found = _PAIR.match(phrase)
    return (cut(found["name"]), cut(found["other"])) if found else None


def is_report(text: str) -> bool:
    """Returns whether a text was pasted and asks nothing: a line of a log, a path of instances."""
    return is_pasted(text) and not WH.search(text)


def has_name(text: str) -> bool:
    """Returns whether a text has something written like a name of a design in it."""
    return _NAME.search(text) is not None
