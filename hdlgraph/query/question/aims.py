"""What kind of answer a question asks for: states, conditions, reset values, parameters, ports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from hdlgraph.words import stem

MAX_CHARS = 2000


class Aim(StrEnum):
    """What a question asks for."""

    STATES = "states"
    RESET = "reset"
    INTERFACE = "interface"
    CONFIGURE = "configure"
    INSTANCES = "instances"
    WHEN = "when"
    CLOCK = "clock"
    GENERAL = "general"


_SIGNS: dict[Aim, str] = {
    Aim.STATES: r"\bstates\b|\bfsms?\b|\bstate[- ]machines?\b|\bstate transitions?\b"
    r"|\b(?:which|what|next|current|idle|error|initial) states?\b"
    r"|\b(?:leaves?|enters?|reach(?:es)?|transitions?) (?:\w+ ){0,4}states?\b"
    r"|\bsequences?\b|\bsequenced\b|\b(?:which|what) (?:steps|phases)\b|\bsteps? through\b"
    r"|\b(?:goes|go|going|passes|pass|moves|move) (?:\w+ )?through\b",
    Aim.RESET: r"\breset (?:value|state|behaviou?r|level|condition|polarity|default)s?\b"
    r"|\b(?:on|at|after|during|in|by|under|upon|following|from|out of) (?:a |the |an )?"
    r"(?:\w+[- ])?reset\b|\bresets? to\b|\b(?:what|which (?:signal|net|reset)) resets\b"
    r"|\b(?:is|are|was|gets?|be) (?:\w+ )?(?:reset|initiali[sz]ed|cleared by)\b"
    r"|\binitial values?\b|\bpower[- ]?(?:up|on) values?\b"
    r"|\bsynchronous(?:ly)? (?:or asynchronous(?:ly)? )?reset\b",
    Aim.INTERFACE: r"\binterfaces?\b|\bports?\b|\bpins\b|\bpin[- ]?out\b|\binputs\b|\boutputs\b"
    r"|\b(?:input|output) (?:ports?|pins?|signals?|side)\b|\bsignature\b"
    r"|\bhandshak\w+\b|\bwhich protocol\b|\bwhat protocol\b|\bprotocols?\b|\bbus signals?\b"
    r"|\b(?:which|what) (?:\w+ )?(?:signals?|bus(?:es)?|channels?|wires)\b|\bi/?os?\b"
    r"|\bbuses\b|\b(?:speaks?|exposes?)\b",
    Aim.CONFIGURE: r"\bparameters?\b|\bparametri[sz]\w*\b|\bparameteri[sz]\w*\b|\bconfigur\w+\b"
    r"|\bgenerics?\b|\bhow (?:wide|deep|many|big|large|long)\b|\bwidths?\b|\bdepths?\b"
    r"|\bsizes?\b|\bdefaults?\b|\bknobs?\b|\boptions?\b|\bcompile[- ]time\b|\bbuild[- ]time\b"
    r"|\belaboration\b|\b(?:turn|switch)(?:ed)? (?:on|off)\b|\bmaximum number\b|\bnumber of\b"
    r"|\blocalparams?\b|\bmacros?\b|\bdefines?\b|\bmodes\b|\bsettings?\b"
    r"|\b(?:decide|choose|select|pick|switch)s? between\b|\b(?:which|what) values\b"
    r"|\b(?:legal|allowed|valid|supported|possible) values?\b|\b(?:wins|enabled|disabled)\b",
    Aim.INSTANCES: r"\binstantiat\w+\b|\binstances?\b|\binstanced\b|\bsub-?modules?\b"
    r"|\bparents?\b|\bwrap(?:s|ped|per)?\b|\bhooked up\b|\bwired\b|\bhierarchy\b",
    Aim.WHEN: r"\bwhen\b|\bconditions?\b|\bcircumstances?\b|\bcases?\b|\bcauses?\b|\bcaused\b"
    r"|\btriggers?\b|\btriggered\b|\bwhat makes\b|\bwhat happens\b|\bwhy\b|\bif\b|\bwhat stops\b"
    r"|\bprevents?\b|\basserted\b|\bdeasserted\b|\braised\b|\bset\b|\bcleared?\b|\bflush\w*\b"
    r"|\bstall\w*\b|\bdetermin\w+\b|\bdecides?\b",
    Aim.CLOCK: r"\b(?:which|what) clocks? (?:does|do|is|are|drives?|domains?)\b"
    r"|\bclock domains?\b|\bclocked by\b|\bclock edge\b|\bclock cross\w+\b"
    r"|\b(?:rising|falling|positive|negative) edge\b",
}
"""Words of hardware questions by what they ask for; the first aim that fits leads the answer."""
_FOUND = {aim: re.compile(signs, re.I) for aim, signs in _SIGNS.items()}


_CONSTANT = re.compile(r"(?<![\w`])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)|(?<![\w`])[A-Z]{5,}(?!\w)")
"""A name written as constants are."""
_ASKED = re.compile(
    r"\bvalues?\b"
    r"|\b(?:does|do) (?:the )?(?:\w+ ){1,4}(?:change|set|do|select|control|decide|mean)\b",
    re.I,
)


def aims_of(question: str) -> tuple[Aim, ...]:
    """Returns what a question asks for, the most particular first; `GENERAL` is always last."""
    text = question[:MAX_CHARS]
    found = {aim for aim, signs in _FOUND.items() if signs.search(text)}
    if Aim.STATES not in found and _CONSTANT.search(text) and _ASKED.search(text):
        found.add(Aim.CONFIGURE)
    return (*(aim for aim in _FOUND if aim in found), Aim.GENERAL)


_OWN: dict[Aim, str] = {
    Aim.STATES: "state states machine machines fsm transition transitions next current move moves",
    Aim.RESET: "reset resets value values default initial initialised initialized power up",
    Aim.INTERFACE: "interface interfaces port ports signal signals input inputs output outputs "
    "pin pins protocol handshake talk talks",
    Aim.CONFIGURE: "parameter parameters configure configured configuration configurable option "
    "options default defaults number set change value generic",
    Aim.INSTANCES: "instantiate instantiates instantiated instance instances submodule submodules",
    Aim.WHEN: "condition conditions circumstance circumstances cause causes trigger triggers "
    "happen happens assert asserts asserted deasserted raise raised make makes case cases",
    Aim.CLOCK: "clock clocks edge domain domains",
    Aim.GENERAL: "work works handle handled handles purpose role mean means explain describe "
    "show list provide provides does support supports",
}
SIZES = {stem(said): stem(named) for said, named in (
    ("deep", "depth"), ("wide", "width"), ("big", "size"), ("large", "size"), ("long", "length"),
)}  # fmt: skip
"""What a question says of a size, and what the parameter is called."""
_STEMS = {aim: frozenset(stem(word) for word in own.split()) for aim, own in _OWN.items()}


def aim_words(aims: Iterable[Aim]) -> frozenset[str]:
    """Returns the stems of words that only say what is asked for, not of what."""
    return frozenset().union(*(_STEMS[aim] for aim in aims))
