"""The forms in which an answer may state a fact, and how source lines prove each of them.

Every name in such a sentence must stand on the cited lines, in the way that its form demands. Only
the unit around the lines may be named without standing there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FILE = r"[A-Za-z_\\$`][\w$.:`-]*"
_NAME = r"[A-Za-z_\\$`][\w$.:`]*"
_WORD = re.compile(r"[A-Za-z_$`][\w$`]*|\d[\w']*")
_ANY = "any state"
_JOINING = frozenset("default not and is otherwise".split())
_NOTES = re.compile(r"/\*.*?\*/|//.*|/\*.*|^(?:(?!/\*).)*\*/")


@dataclass(frozen=True, slots=True)
class Lines:
    """Cited lines: their path, first and last number, text, and the names of units around."""

    path: str
    line: int
    end_line: int
    text: tuple[str, ...]
    around: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """Returns the words and numbers on the lines."""
        return frozenset(word.lstrip("`") for word in _WORD.findall("\n".join(self.text)))


def states_fact(claim: str, at: Lines) -> bool:
    """Returns whether a sentence has one of the forms and its lines bear it out."""
    text = claim.strip().rstrip(".:")
    return any(
        (found := form.fullmatch(text)) is not None and holds(found, at) for form, holds in FORMS
    )


def _instantiates(found: re.Match[str], at: Lines) -> bool:
    stands = {found["unit"], found["name"]} - {None} <= at.words
    within = found["parent"] in at.around
    return stands and within and _all(found["rest"] or "", at)


def _states(found: re.Match[str], at: Lines) -> bool:
    return (found["of"] or "").split(".")[-1] in {*at.words, ""} and _all(found["names"], at)


def _transition(found: re.Match[str], at: Lines) -> bool:
    """The state left and all of the condition stand there, the state entered is assigned last."""
    source = "" if found["source"] == _ANY else found["source"]
    written = _WORD.findall(f"{source} {found['when'] or ''}")
    words = {word.lstrip("`") for word in written} - _JOINING
    code = ["".join(_NOTES.sub(" ", one).split()) for one in at.text]
    target = re.escape("".join(found["target"].split()))
    text = "".join(code).removesuffix("end")
    assigned = re.search(
        rf"=(?:[^;]*\?[^;]*(?<!\w))?(?:\w+::)?\(?{target}\)*(?::[^;]*)?[;,)]*$", text
    )
    return words <= at.words and assigned is not None


def _acts(found: re.Match[str], at: Lines) -> bool:
    """The state stands there, each assignment word for word, and the names of its condition."""
    code = " ".join(_NOTES.split(one)[0] for one in at.text)
    stands = {word.lstrip("`") for word in _WORD.findall(code)}
    for act in found["acts"].split("; "):
        assigned, _, when = act.partition(" when ")
        plain = r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", assigned)))
        if not re.search(rf"(?<![\w$.\]]){plain}\s*;", code):
            return False
        if not {word.lstrip("`") for word in _WORD.findall(when)} - _JOINING <= stands:
            return False
    return found["state"].lstrip("`") in stands


def _resets(found: re.Match[str], at: Lines) -> bool:
    """The lines assign that value to that name."""
    value = "".join(found["value"].split())
    text = "".join("".join(_NOTES.sub(" ", one) for one in at.text).split())
    name = re.escape(found["name"])
    return (
        re.search(rf"(?<![\w$.]){name}(?:\[[^\]]*\])*<?={re.escape(value)}[;,)]", text) is not None
    )


def _defaults(found: re.Match[str], at: Lines) -> bool:
    value = "".join(found["value"].split())
    text = "".join("".join(_NOTES.sub(" ", one) for one in at.text).split())
    name = re.escape(found["name"])
    return re.search(rf"{name}(?:\[[^\]]*\])*={re.escape(value)}(?![\w'])", text) is not None


def _sets(found: re.Match[str], at: Lines) -> bool:
    """Within the unit, an instance of that name connects that value to that name."""
    value = re.escape("".join(found["value"].split()))
    text = "".join("".join(_NOTES.sub(" ", one) for one in at.text).split())
    match = re.search(rf"\.{re.escape(found['name'])}\({value}\)", text)
    return found["unit"] in at.around and found["instance"] in at.words and match is not None


def _open(found: re.Match[str], at: Lines) -> bool:
    """Within the unit, an instance of that name leaves the port without a connection."""
    text = "".join("".join(_NOTES.sub(" ", one) for one in at.text).split())
    port = f".{found['name']}()"
    return found["unit"] in at.around and found["instance"] in at.words and port in text


def _joins(found: re.Match[str], at: Lines) -> bool:
    """At least the last parts of both names, or the unit around, stand there."""
    names = (found["one"], found["other"])
    return all(name.split(".")[-1] in at.words or name in at.around for name in names) and _all(
        found["by"] or "", at
    )


def _short(found: re.Match[str], at: Lines) -> bool:
    low = {word.lower() for word in at.words}
    words = _WORD.findall(f"{found['short']} {found['long']}".lower())
    return all(word in low for word in words)


def _all(text: str, at: Lines) -> bool:
    return all(word.lstrip("`") in at.words for word in _WORD.findall(text))


FORMS = (
    (
        re.compile(
            rf"(?P<parent>{_NAME}) (?:instantiates|binds) (?P<unit>{_NAME})"
            rf"(?: as (?P<name>{_NAME}))?(?: \(taken for {_NAME}\))?(?: when (?P<rest>.+))?"
        ),
        _instantiates,
    ),
    (
        re.compile(
            rf"States(?: of (?P<of>{_NAME}))?(?: \(\d+\))?: (?P<names>{_NAME}(?:, {_NAME})*)"
        ),
        _states,
    ),
    (
        re.compile(
            rf"(?P<source>{_ANY}|{_NAME}) -> (?P<target>.+?)(?: when (?P<when>.+?))?"
            r"(?:, unless line [\d, ]+(?: or a later one)? sets another)?"
        ),
        _transition,
    ),
    (re.compile(rf"In (?P<state>{_NAME}): (?P<acts>.+)"), _acts),
    (re.compile(rf"(?P<name>{_NAME}(?:\[[^\]]*\])*) resets to (?P<value>.+)"), _resets),
    (re.compile(rf"(?P<name>{_NAME}) defaults to (?P<value>.+)"), _defaults),
    (
        re.compile(
            rf"(?P<unit>{_NAME}) sets (?P<name>{_NAME}) of (?P<instance>{_NAME}) to (?P<value>.+)"
        ),
        _sets,
    ),
    (
        re.compile(rf"(?P<unit>{_NAME}) leaves (?P<name>{_NAME}) of (?P<instance>{_NAME}) open"),
        _open,
    ),
    (re.compile(r"(?P<short>[\w$+./-]+) is short for (?P<long>.+)"), _short),
    (
        re.compile(
            rf"(?P<one>{_FILE}) (?:instantiates|drives|imports|includes|extends|uses|binds|"
            rf"connects to|implements|overrides|calls|creates) (?P<other>{_NAME})"
            rf"(?: by (?P<by>.+))?"
        ),
        _joins,
    ),
)
