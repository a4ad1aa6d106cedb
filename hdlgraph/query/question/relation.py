"""Whether a question asks for a relation that the design graph holds, and of which name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

MAX_CHARS = 300
"""A longer question asks for more than a relation."""


class Relation(StrEnum):
    """What is asked of a name: its users, what it instantiates, what drives it."""

    USERS = "users"
    PARTS = "parts"
    DRIVERS = "drivers"


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """A relation and the name it is asked of; `port` is set where a port of a unit is meant."""

    relation: Relation
    name: str
    port: str = ""


_N = r"(?P<name>[A-Za-z_$`][\w$.:/`-]*)"
_KIND = (
    r"(?:(?:module|unit|block|file|package|interface|class|macro|entity|component|core|ip|"
    r"submodule|instance|cell|type|header) )?"
)
_THE = r"(?:the |a |an )?"
_X = rf"{_THE}{_KIND}{_N}(?: (?:module|unit|block|package|interface|class|macro|instance|file))?"
_WHO = (
    r"(?:(?:what|which|who)(?: (?:other )?(?:module|unit|block|file|design|rtl|parent|entit)\w*)?"
    r"(?: (?:is|are) it that)?)"
)
_USES = r"(?:instantiat\w+|uses?|includes?|imports?|contains?|wraps?|extends?|calls?|references?)"
_USED = (
    r"(?:instantiated|used|included|imported|referenced|called|instanced|wrapped|extended|placed)"
)
_SHOW = r"(?:(?:please )?(?:show|list|give|tell|find)(?: me)? (?:all )?(?:the )?)"
_WHERE = (
    r"(?:(?:in (?:which|what) (?:modules?|files?|units?|places?))|where"
    r"|by (?:whom|what|which modules?)|how often)"
)
_P = r"(?P<port>[A-Za-z_$][\w$]*)"
_PART = r"(?:what|which)(?: (?:sub-?)?(?:module|unit|block|instance|component|part)s?)?"
_PIN = rf"{_THE}(?:(?:port|signal|input|output|pin) )?"
_DRIVES = r"(?:what|who|which \w+) drives"
_ON = r"(?:of|on|in|at)"
_FORMS: tuple[tuple[Relation, str], ...] = (
    (Relation.USERS, rf"{_WHO} (?:directly )?{_USES} {_X}"),
    (Relation.USERS, rf"{_WHERE} (?:is|are|does|do|gets?) {_X} (?:get )?{_USED}(?: from| by)?"),
    (Relation.USERS, rf"(?:who|what|which \w+) (?:is|are) {_X} {_USED} (?:by|in|from)"),
    (Relation.USERS, rf"(?:is|are) {_X} {_USED}(?: anywhere| somewhere| at all)?"),
    (Relation.USERS, rf"{_SHOW}?(?:users|parents|instances|instantiations|uses) of {_X}"),
    (
        Relation.USERS,
        rf"(?:what|which|who) (?:is|are) (?:the )?(?:users|parents?|instances|instantiators?)"
        rf"(?: modules?)? of {_X}",
    ),
    (Relation.USERS, rf"how many instances of {_X}(?: are there| exist)?"),
    (Relation.USERS, rf"how many {_N} instances(?: are there| exist)?"),
    (
        Relation.PARTS,
        rf"{_PART} (?:does|do) {_X} (?:directly )?"
        rf"(?:instantiate|contain|include|consist of|wrap|use)",
    ),
    (
        Relation.PARTS,
        rf"{_PART} (?:is|are)(?: there)?(?: (?:instantiated|contained|placed|used))? "
        rf"(?:inside(?: of)?|within|in|by|below|under) {_X}",
    ),
    (
        Relation.PARTS,
        rf"{_SHOW}?(?:(?:what|which) are (?:the )?)?"
        rf"(?:sub-?modules?|sub-?units|children|sub-?blocks|hierarchy|instance tree|instances)"
        rf" (?:of|in|inside|within|below|under) {_X}",
    ),
    (
        Relation.DRIVERS,
        rf"{_DRIVES} {_PIN}{_P} (?:port |input |output |pin )?(?:of|on|in|at|to) {_X}",
    ),
    (Relation.DRIVERS, rf"{_DRIVES} {_PIN}(?P<name>[A-Za-z_$][\w$]*)\.{_P}"),
    (Relation.DRIVERS, rf"where does {_PIN}{_P} {_ON} {_X} come from"),
    (
        Relation.DRIVERS,
        rf"what (?:is|are) {_PIN}{_P} {_ON} {_X} "
        rf"(?:connected|tied|hooked up|wired)(?: up)?(?: to| with)?",
    ),
    (Relation.DRIVERS, rf"what (?:is|are) (?:connected|tied|wired) to {_PIN}{_P} {_ON} {_X}"),
)
_FOUND = [(relation, re.compile(form, re.I)) for relation, form in _FORMS]
_TAIL = re.compile(
    r"\s*(?:[?.!]+|,? please|,? exactly|,? in this (?:repo(?:sitory)?|design|project)"
    r"|,? in the (?:repo(?:sitory)?|design|project|rtl))\s*$",
    re.I,
)
_CARRIED = re.compile(r"^(?P<asked>.*?)\s*\((?P<files>[^()]*)\)\s*$")
_POINTERS = frozenset("it this that them they these those".split())


_USERS = re.compile(
    r"\b(?:which|what)(?: \w+){0,2} "
    r"(?:modules?|units?|blocks?|files?|cores?|ips?|peripherals?|designs?)"
    r"(?: \w+)? (?:instantiat\w+|contains?|uses?|includes?|imports?|wraps?|have|has|keeps?"
    r"|rel(?:y|ies) on|depends? on|employs?|builds? on|based on|asks?|consults?|quer(?:y|ies)"
    r"|calls?|shares?|embeds?|integrates?|goes? through|go through)\b"
    r"|\b(?:who|what) (?:instantiates?|uses?|imports?|wraps?|includes?)\b"
    r"|\bwhere (?:is|are) .{1,80} (?:instantiated|used|included|imported)\b",
    re.I,
)


_ENDS = re.compile(
    r"\b(?:who|what|where|which(?: \w+)?) (?:\w+ )?"
    r"(?:drives?|driven|feeds?|fed|reads?|consumes?|sets?|generates?|controls?|uses?|used|makes?"
    r"|produces?|asserts?|clears?|writes?|comes? from|goes?|goes to|connects?|connected|listens?)\b"
    r"|\bwhere (?:do|does|is|are) .{1,60} (?:come|go|used|driven|connected|generated|read|set)\b",
    re.I,
)


def asks_ends(question: str) -> bool:
    """Returns whether a question asks what drives or reads something, however it says that."""
    return _ENDS.search(question[:MAX_CHARS]) is not None


def asks_users(question: str) -> bool:
    """Returns whether a question asks who uses something, however it calls that."""
    return _USERS.search(question[:MAX_CHARS]) is not None


def relation_of(question: str) -> RelationQuestion | None:
    """Returns the relation that a question asks for and nothing else; None if it asks for none.

    Where it says "it", and a conversation put the files that are meant after it in parentheses,
    the name is the first of those files.
    """
    text = " ".join(question[: MAX_CHARS + 1].replace("\u2019", "'").split())
    text = re.sub(r"^(who|what|where)'s\b", r"\1 is", text, flags=re.I)
    if not text or len(text) > MAX_CHARS:
        return None
    carried = _CARRIED.match(text)
    meant = ""
    if carried:
        text = carried["asked"]
        meant = carried["files"].partition(",")[0].strip()
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    text = re.sub(r"^(?:and|so|but|then|ok|okay),? ", "", text, flags=re.I)
    for relation, form in _FOUND:
        found = form.fullmatch(text)
        if found:
            name = found["name"].strip("`")
            if name.lower() in _POINTERS:
                if "." not in meant:
                    return None
                name = meant
            port = found.groupdict().get("port") or ""
            return RelationQuestion(relation, name, port)
    return None
