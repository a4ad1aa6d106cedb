"""Decides whether words of a comment make a sentence that can stand alone."""

from __future__ import annotations

import re

from hdlgraph.index.explain.by_rules.prose import has

LEAST = 4
"""Words of a sentence that is quoted without its subject."""
LABEL = 5
"""Words from which a text without a verb is more than a heading."""
_UNFINISHED = re.compile(
    r"\b(?:todo|to-do|fixme|xxx|hack|hacks|tbd|wip|for now|temporarily|work-?around"
    r"|bug[- ]?fix\w*|not (?:yet )?implemented|remove (?:this|me)|to be removed|commented out|ditto"
    r"|(?:as|see|same) (?:above|below|before))\b",
    re.I,
)
_UNFINISHED_SIGNS = (
    "todo", "to-do", "xxx", "hack", "tbd", "wip", "for now", "temporarily", "around",
    "fix", "implemented", "remove", "commented", "ditto", " above", " below", " before",
)  # fmt: skip
"""One of them is in each text that `_UNFINISHED` finds, once its letters are small."""
_LEAKED = re.compile(
    r"(?:^|(?<=\s))[@\\](?:brief|description|details?|note|short|remarks?)\b[\s:-]*", re.I
)
_FIELD = re.compile(r"^\W{0,3}[@\\][a-z]\w*\b", re.I)
_POINTS = re.compile(
    r"^(?:it|its|they|them|he|that|those|these|this (?!module|block|unit|file|class|package"
    r"|interface|testbench|test|sequence)|same|also|and|or|so|but|then|else|otherwise|now|here"
    r"|there|which|see|note|e\.g|i\.e|we|you|i|because|hence|thus|therefore)\b",
    re.I,
)
"""How sentences begin that lean on what stands before them."""
_BACK = re.compile(
    r"\b(?:is|are|was) (?:those|such|the (?:former|latter|opposite))\b|^this \w+ is that\b"
    r"|^(?:and|or|nor|so|which|whose|thus|hence|therefore)\b"
    r"|^the (?:first|last|latter|former|others?) (?:two|three|four|ones?|is|are|has|have)\b",
    re.I,
)
"""What a sentence is made of that says only what stood before it."""
_BACK_SIGNS = (" those", " such", " the former", " the latter", " the opposite")
"""One of them is in each text that `_BACK` finds elsewhere than at its beginning."""
_PART = re.compile(
    r"^(?:this|these|that|those) (?:param|argument|port|pin|signal|macro|define|register|field|bit"
    r"|constant|variable|flag|value|state|counter|function|task|line|statement)",
    re.I,
)
_LEANS = re.compile(r"\b(?:it|they|them|we|this|these|those|i|here|above|below)\b", re.I)
_LOOKED_AT = 6  # words
_BEING = frozenset(
    """is are was were has have had can will must should may shall does do cannot isn't aren't
    doesn't don't can't won't""".split()
)
_VERBS = frozenset(
    """accept access acknowledge add align allocate allow apply arbitrate assert assign assume
    avoid broadcast build calculate call capture cause change check choose clear collect combine
    compare compute configure connect consume contain control convert copy count create decide
    decode define delay deliver depend describe detect determine disable discard drive drop emit
    enable encode ensure expand extract feed fetch fill filter find flush follow force forward
    generate get give go handle hold implement include increment indicate inject insert instantiate
    invert issue keep latch let load look make map mask match measure merge model modify monitor
    move mux need notify occur pack pass perform pick pop prevent process produce propagate provide
    push put raise read receive recompute register release remove replace report represent request
    reset resolve respond restore retrieve return route run sample save scan select send serialize
    set share shift sign signal simulate skip split stall start stop store strip swap switch
    synchronize take tell terminate test tie toggle track transfer translate transmit trigger turn
    update use validate verify wait wrap write""".split()
)
_ALSO_NOUNS = frozenset(
    """access add address build call change check clear control copy count delay drive drop enable
    fetch fill filter flush force hold issue latch load look map mask match model monitor move mux
    need pack pass pick process push raise read register release report request reset return route
    run sample scan select set share shift sign signal stall start stop store swap switch test tie
    toggle track transfer trigger turn update use wrap write merge feed make pop split
    decode encode""".split()
)
_AFTER_VERB = frozenset(
    """a an the all any each every its if when whether that from with on by until only one two out
    up down into both no not at as back high low""".split()
)
_CLAUSE = frozenset("if when while once unless until whenever where in".split())
_HEADING = re.compile(r"(?:[A-Z][A-Z-]+\s+){2}[A-Z][A-Z-]+")


def unfinished(text: str) -> bool:
    """Returns whether a comment is a note of work to do, a heading or a field for a tool."""
    low = text.lower()
    may_be = has(low, _UNFINISHED_SIGNS) or not text.isascii()  # small letters of others
    return bool(
        (may_be and _UNFINISHED.search(text))
        or _HEADING.match(text)
        or _FIELD.match(text)
        or text.endswith("\\")
    )


def without_tag(text: str) -> str:
    """Returns a sentence without the tag of a documentation tool before it."""
    return _LEAKED.sub("", text)


def leans(text: str) -> bool:
    """Returns whether a sentence begins with a word that points to what stood before it."""
    return bool(_POINTS.match(text)) or points_back(text)


def points_back(text: str) -> bool:
    """Returns whether a sentence says only that something is what was said before it."""
    may_be = has(text.lower(), _BACK_SIGNS) or not text.isascii()
    return bool(_BACK.search(text) if may_be else _BACK.match(text))


def shortened(text: str, words: int) -> str:
    """Returns a text of at most `words` words: one that is longer up to a comma, else ""."""
    if len(text.split()) <= words:
        return text
    head = " ".join(text.split()[:words])
    if text.split(" ", 1)[0].lower() in _CLAUSE:
        return ""
    cut = max(head.rfind(mark) for mark in (", ", "; ", ": ", " (", " - "))
    return head[:cut] if cut > 0 and len(head[:cut].split()) > 1 else ""


def is_label(text: str) -> bool:
    """Returns whether a text is a few words without a verb, such as the heading of a list."""
    words = text.lower().split()
    verbs = any(word in _BEING or word in _VERBS or _base(word) in _VERBS for word in words)
    return len(words) < LABEL and not verbs


def about_part(text: str) -> bool:
    """Returns whether a sentence speaks of one part of a unit without its name."""
    return bool(_PART.match(text))


def is_sentence(text: str) -> bool:
    """Returns whether a text has a verb, and no pronoun for something that is not told."""
    words = [word.strip(".,;:!?()\"'`\\").lower() for word in text.split()]
    words = [word for word in words if word]
    if len(words) < LEAST or leans(text) or _LEANS.search(" ".join(words[:_LOOKED_AT])):
        return False
    if words[0] in _BEING or words[0].endswith("ed") or (words[0] in _CLAUSE and "," not in text):
        return False
    if not _BEING.isdisjoint(words):
        return True
    if words[0] in _VERBS:
        return words[0] not in _ALSO_NOUNS or words[1] in _AFTER_VERB
    return any(_base(word) in _VERBS for word in words[:-1])


def _base(word: str) -> str:
    """Returns the verb of which a word is the third person ("carries": carry), "" for others."""
    if not word.endswith("s") or word.endswith("ss"):
        return ""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("shes", "ches", "sses", "xes")) else word[:-1]
