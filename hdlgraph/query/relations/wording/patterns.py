"""The patterns of a question: up to three of its small words and kinds of words in a row.

Its other words stand for themselves nowhere: a name is one sign, a run of content another one, and
a word that goes with relations is the kind that `joint.cue_words.WORDS` has it in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product

from hdlgraph.query.relations.joint.cue_words import WORDS

LONGEST = 3
"""Signs of the longest pattern."""
NAME, OTHER, BEGIN, END = "NAME", "*", "^", "$"
SMALL = frozenset(
    """a an the this that these those it its they them their there here i we you he she one ones
    other another each every all any some both neither no not of in on at by to from into onto
    inside inwards within for with without over under below above between behind through out up down
    off as than like about around along across per via beside besides except instead apart what
    which who whom whose where when how why is are was were be been being do does did has have had
    can could will would should must may might get gets got and or but if so also only just even
    still then thus first last same two three four several more most less own itself""".split()
)
_WORD = re.compile(r"[\w$`'\"./:]*\w[\w$'`]*|[,:;?.()-]")
_WRITTEN = re.compile(
    r"[`'\"]?\$?\b(?=\w*(?:[_\d]|[a-z][A-Z]))[A-Za-z_][\w$]*(?:[.:/]+\w+)*[`'\"]?"
)


@cache
def _kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((f"<{name}>", re.compile(words, re.I)) for name, words in WORDS.items())


@lru_cache(maxsize=4096)
def _signs(word: str) -> tuple[str, ...]:
    """Returns the signs that stand for a word, one or more."""
    if _WRITTEN.fullmatch(word):
        return (NAME,)
    if word.lower() in SMALL or not any(one.isalnum() for one in word):
        return (word.lower(),)
    return tuple(name for name, words in _kinds() if words.fullmatch(word)) or (OTHER,)


def signs(text: str) -> list[tuple[str, ...]]:
    """Returns the signs of a question word by word, a run of content as one."""
    out: list[tuple[str, ...]] = [(BEGIN,)]
    for word in _WORD.findall(text):
        found = _signs(word)
        if found != (OTHER,) or out[-1] != found:
            out.append(found)
    return [*out, (END,)]


def patterns(text: str) -> frozenset[str]:
    """Returns the patterns of a question, each as its signs with blanks between."""
    every = signs(text)
    found: set[str] = set()
    for begin in range(len(every)):
        for length in range(1, LONGEST + 1):
            if begin + length <= len(every):
                found.update(map(" ".join, product(*every[begin : begin + length])))
    return frozenset(found)


def has(text: str, known: Sequence[str]) -> list[float]:
    """Returns for each of some patterns whether a question has it, 1 or 0."""
    own = patterns(text)
    return [float(one in own) for one in known]
