"""Whether the value of a setting is the one that a question tells of."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?:\d*'s?([bodh]))?([0-9a-fA-F_]+)", re.I)
_WRITTEN = re.compile(r"(?<![\w.'])\d+(?![\w.'])")
_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"sixteen": 16, "thirty-two": 32, "sixty-four": 64}
_OFF = re.compile(
    r"\b(?:no|not|without|isn't|aren't|disabl\w+|off|instead|undefined|unset|lacks?|leaves out"
    r"|neither|nor|clears?|removes?|drops?)\b",
    re.I,
)
_ON = re.compile(r"\b(?:on|enabl\w+|activat\w+|allows?|supports?)\b", re.I)
_MORE = re.compile(r"\b(?:(?:more|greater|larger) than (?:the )?([\w-]+)|several|multiple)\b", re.I)
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


def value_of(detail: str) -> str:
    """Returns the value in what is known of a setting, `localparam byte = 30` or `8'h1f`."""
    return (detail.partition("= ")[2] or detail).strip()


def fits(value: str, text: str) -> float:
    """Returns whether a value is the one that a question tells of: 1, -1, or 0 where none is.

    A question tells of a number, or that something is on or off.
    """
    number = number_of(value)
    if number is None:
        return 0.0
    least = _more_than(text)
    if least is not None:
        return 1.0 if number > least else -1.0
    asked = numbers_in(text)
    if number in asked and number > 1:
        return 1.0
    off, on = _OFF.search(text), _ON.search(text)
    if number in (0, 1) and bool(off) != bool(on):
        return 1.0 if (number == 1) == bool(on) else -1.0
    return -1.0 if asked and number > 1 else 0.0


def _more_than(text: str) -> int | None:
    """Returns the number that a value is to be above, None where a question tells of none."""
    found = _MORE.search(text)
    if found is None:
        return None
    word = (found[1] or "1").lower()
    return int(word) if word.isdecimal() else _WORDS.get(word)


def number_of(value: str) -> int | None:
    """Returns the number that a literal writes, None for another expression."""
    found = _NUMBER.fullmatch(value.strip())
    if found is None:
        return None
    digits = found[2].replace("_", "")
    try:
        return int(digits, _BASES[(found[1] or "d").lower()])
    except ValueError:
        return None


def numbers_in(text: str) -> frozenset[int]:
    """Returns the numbers that a question writes, in digits or words."""
    digits = {int(one) for one in _WRITTEN.findall(text)}
    spelt = {_WORDS[word] for word in re.findall(r"[a-z-]+", text.lower()) if word in _WORDS}
    return frozenset(digits | spelt)
