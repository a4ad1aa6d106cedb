"""The words by which questions name relations of a design, and what each of them asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hdlgraph.query.relations.sought import Sought

S = Sought


class Cue(NamedTuple):
    """Words of one meaning.

    `first` is sought where the question word stands for what does it ("which unit drives A"),
    `second` where it stands for that to which it is done ("what does A drive"). `sure`, 0 to 1, is
    how seldom the words mean anything else. `words` is a regular expression: verbs in any form. Of
    a `noun` the name stands behind it ("children of A"), and `first` is sought.
    """

    first: Sought
    second: Sought
    sure: float
    words: str
    noun: bool = False


CUES = (
    Cue(S.DERIVED, S.BASES, 0.9, r"extend(?:s|ed|ing)?|inherit(?:s|ed|ing)?(?: from)?"
        r"|deriv(?:es?|ed|ing)(?: from)?|subclass(?:es|ed)?|descends? from|speciali[sz](?:es?|ed)"),
    Cue(S.BASES, S.DERIVED, 0.9, r"(?:parent|base|super|ancestor) ?(?:class|sequence|test|item"
        r"|type|object|component)?(?:es|s)? (?:class )?(?:of|for)", noun=True),
    Cue(S.BOUND, S.BIND_TARGETS, 0.9, r"(?:binds?|bound|binding)(?: (?:in)?to| onto)?"),
    Cue(S.IMPORTERS, S.IMPORTED, 0.9, r"import(?:s|ed|ing)?"),
    Cue(S.PARENTS, S.CHILDREN, 0.9, r"instan(?:tiat|c)(?:es?|ed|ing|iates?)"),
    Cue(S.PARENTS, S.CHILDREN, 0.6, r"(?:contain|wrap|hous|host|embed|incorporat|integrat|enclos"
        r"|employ|build|includ)(?:e|p|d)?(?:s|ed|d|ing)?|(?:built|made|composed|assembled|put"
        r" together)(?= (?:up |out )?(?:of|from)\b)(?: up| out)? (?:of|from)|consists? of"
        r"|compris(?:es?|ed of)|(?:make|made) use of|relies on"),
    Cue(S.PARENTS, S.CHILDREN, 0.4, r"us(?:es?|ed|ing)|need(?:s|ed)?|ha[sv]e?(?=.* inside)"
        r"|carr(?:y|ies)"),
    Cue(S.CHILDREN, S.HOLDERS, 0.7, r"(?:sit|sits|sat|lives?|resides?|lies?|located|found|placed"
        r"|hidden|buried|nested|ends? up|ended up|contained|is|are|belongs?)?,? ?(?:\w+ (?:levels?|"
        r"steps?) (?:further )?(?:down|up|below),? |somewhere |deep |directly )*(?:inside(?: of)?"
        r"|within|beneath|underneath|below|under)"),
    Cue(S.CHILDREN, S.PARENTS, 0.8, r"(?:children|child|sub-?(?:modules?|blocks?|units?)|parts?"
        r"|pieces?|constituents?|components?|ingredients?|child (?:modules?|units?|blocks?"
        r"|instances?)) of", noun=True),
    Cue(S.PARENTS, S.CHILDREN, 0.8, r"(?:users?|parents?|owners?|instantiators?|parent modules?)"
        r" of", noun=True),
    Cue(S.CHILDREN, S.HOLDERS, 0.5, r"sits?|sat|lives?|resides?|lies?|located|found|placed|housed"
        r"|contained|go(?:es)?"),
    Cue(S.DRIVERS, S.DOWNSTREAM, 0.8, r"(?:driv(?:e|es|ing|en)|drove|assert(?:s|ed|ing)?|rais(?:es?"
        r"|ed|ing)|suppl(?:y|ies|ied|ying)|feed(?:s|ing)?|fed|toggl(?:es?|ed)|sourc(?:es?|ed)"
        r"|deliver(?:s|ed|ing)?)"),
    Cue(S.DRIVERS, S.DOWNSTREAM, 0.55, r"(?:produc|generat|creat|emit|set|provid|issu|comput|send"
        r"|output|hand|pass|forward|mak|gat)(?:t?e?s?|ed|d|t?ing)|made|sent"),
    Cue(S.DOWNSTREAM, S.DRIVERS, 0.7, r"comes?(?: (?:out|straight|directly))* (?:from|of)|came from"
        r"|originat(?:es?|ed)(?: (?:in|from))?|outputs? of"),
    Cue(S.READERS, S.UPSTREAM, 0.7, r"(?:read|consum|sampl|observ|watch|monitor|receiv|sink|listen"
        r"|tak|load|evaluat)(?:e?s|es|e|ed|d|ing|s)?(?: up| in| to| out)?"
        r"|reacts? (?:on|to)|taken|sunk"),
    Cue(S.DEFINITION, S.DEFINITION, 0.6, r"(?:declar|defin|specif|typedef)(?:e|y|ie)?'?"
        r"(?:s|d|ed|ing)?|definition of|declaration of"),
    Cue(S.CONFIGURED, S.SETTINGS, 0.6, r"(?:choos|select|pick|decid|switch|enabl|configur|gover"
        r"|determin|control)(?:e?s|es|e|n|ns|ed|d|ing)?(?: (?:in|on|between|by))?|chosen|chose"),
    Cue(S.CLOCKED, S.CLOCKS, 0.6, r"(?:clocked|timed) (?:by|from|with)|runs? (?:on|off|from|with)"
        r"(?= .*\b(?:clock|clk))|in the clock domain of"),
    Cue(S.RESET, S.RESETS, 0.6, r"resets?(?= (?:by|the|them|it)\b)"),
)  # fmt: skip
TESTED = re.compile(
    r"\b(?:test ?-?bench(?:es)?|bench(?:es)?|tb|(?:formal |property )?(?:proofs?|checker|property"
    r" module)|(?:test|simulation|sim|verification|formal) (?:top|module|harness"
    r"|environment|wrapper)s?|harness)\b",
    re.I,
)
BETWEEN = re.compile(r"\b(?:in ?)?between\b", re.I)
JOINED = re.compile(
    r"\b(?:connected|wired|hooked|joined|linked|tied|stitched|glued|coupled|brought|put|meet|met)"
    r"(?: up)?(?: together| to| with|\b)",
    re.I,
)


class Said(NamedTuple):
    """A cue in a question: which, from where to where, and whether it is a passive."""

    cue: Cue
    start: int
    end: int
    passive: bool


@cache
def _patterns() -> tuple[tuple[Cue, re.Pattern[str]], ...]:
    return tuple((cue, re.compile(rf"(?<![\w.])(?:{cue.words})(?![\w.])", re.I)) for cue in CUES)


_PASSIVE = re.compile(
    r"(?:ed|en|t|d|nt|ne|read|set|made|sunk|bound)(?: up| in| to| out| onto)?$", re.I
)
_BE = re.compile(r"\b(?:is|are|was|were|be|being|been|gets?|got)\b", re.I)


def cues(text: str) -> Iterator[Said]:
    """Yields the cues of a question, the surest first."""
    found = []
    for order, (cue, pattern) in enumerate(_patterns()):
        for match in pattern.finditer(text):
            by = re.match(r"\s+(?:\w+ly )?by\b", text[match.end() :]) is not None
            be = _BE.search(text[: match.start()]) is not None
            passive = by or (be and _PASSIVE.search(match[0]) is not None)
            found.append((-cue.sure, order, match.start(), Said(cue, *match.span(), passive)))
    yield from (said for *_, said in sorted(found, key=lambda one: one[:3]))
