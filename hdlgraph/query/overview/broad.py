"""Whether a question asks about a design as a whole, such as how a chip is organised.

Every clause of the question must be one of the forms below, so that a question about one part
("how is the register file organised?") is never taken for one about the whole.
"""

from __future__ import annotations

import re

MAX_CHARS = 200
"""A longer question says something particular."""

_THE = r"(?:this|the|that|our|your|my)"
_ALL = r"(?:whole |entire |overall |complete |full )?"
_NAMES = (
    r"(?:chip|soc|system on (?:a )?chip|design|system|repository|repo|code ?base|source tree|"
    r"project|hardware|rtl|source code|code|sources)"
)
_WHOLE = rf"(?:{_THE} {_ALL}{_NAMES}|this {_ALL}(?:core|processor|cpu)|it all|everything(?: here)?)"
_KIND = (
    r"(?:main|major|big|biggest|large|largest|principal|important|key|top[- ]level|high[- ]level)"
)
_PARTS = (
    rf"(?:{_KIND} )*(?:hardware |design )?"
    r"(?:sub-?systems|parts|blocks|components|building blocks|pieces|ips|ip blocks|units|areas)"
)
_MADE = (
    r"(?:organi[sz]ed|structured|laid out|divided(?: up)?|partitioned|built(?: up)?|put together|"
    r"composed|arranged|split(?: up)?|set up|architected)"
)
_TALK = (
    r"(?:talk|communicate|connect|interact|fit together|work together|hang together|relate|"
    r"depend on (?:each other|one another)|interface)"
    r"(?: (?:to|with) (?:each other|one another))?"
)
_DOES = r"(?:does|do|is|are)"
_SHAPE = r"(?:architecture|structure|organi[sz]ation|layout|hierarchy|big picture)"
_ROUGH = r"(?:overall |general |high[- ]level |top[- ]level |basic |rough )*"

_FORMS = (
    rf"how (?:is|are|was) {_WHOLE} {_MADE}",
    rf"how (?:is|are) {_WHOLE}(?:'s)? {_SHAPE}",
    rf"(?:which|what) {_PARTS}(?: are there| exist)?(?: (?:in|of|inside) {_WHOLE})?",
    rf"(?:which|what) {_PARTS} (?:does|do) {_WHOLE} (?:have|contain|consist of|include)",
    rf"(?:which|what) {_PARTS} (?:make up|form|are in|belong to) {_WHOLE}",
    rf"what are (?:the|its|all) {_PARTS}(?: (?:in|of|inside) {_WHOLE})?",
    rf"(?:what )?(?:does|do) {_WHOLE} (?:contain|consist of|do|include)",
    rf"what (?:is|are) (?:in|inside) {_WHOLE}",
    rf"what is {_WHOLE}(?: (?:about|made of|made up of|composed of|for))?",
    rf"what is the {_ROUGH}{_SHAPE}(?: of {_WHOLE})?",
    rf"what does the {_ROUGH}{_SHAPE}(?: of {_WHOLE})? look like",
    rf"how {_DOES} (?:the|its) {_PARTS}(?: (?:in|of) {_WHOLE})?(?: all)? "
    rf"(?:{_TALK}|connected|related|linked|wired(?: up| together)?)",
    rf"how {_DOES} {_WHOLE} (?:{_TALK}|work)",
    rf"what {_WHOLE} (?:is|does|contains|consists of)(?: about| for| made of)?",
    rf"(?:an? )?(?:{_ROUGH})overview(?: of {_WHOLE})?",
    rf"(?:an? )?{_ROUGH}(?:summary|map|tour) of {_WHOLE}",
    rf"(?:the )?{_ROUGH}{_SHAPE} of {_WHOLE}",
)
_ASKING = (
    r"(?:please |can you |could you |would you )*"
    r"(?:(?:give|show|tell|draw) me |list |describe |explain |summari[sz]e |outline )?"
)
_DESCRIBE = (
    rf"(?:describe|explain|summari[sz]e|outline) (?:to me )?"
    rf"(?:{_WHOLE}|(?:the |its ){_ROUGH}{_SHAPE})"
)
_TOP = re.compile(
    r"(?:what|which)(?: module| unit| block)? is the top(?:[- ]?level)?"
    r"(?: module| unit| block| one)?"
    rf"(?: (?:of|in) {_WHOLE})?"
)
_BELOW = re.compile(
    r"what (?:is|lies|stands|comes) (?:below|under|beneath|inside|in) (?:it|that|them)"
    r"|what (?:does it|do they) (?:contain|consist of|instantiate|include)"
    r"|what (?:is it|are they) made of"
)
"""A question for the top asks about the whole where it asks what is below it, too."""
_LISTED = rf"list (?:the |all )*{_PARTS}(?: (?:in|of|inside) {_WHOLE})?"
_FOLLOWS = re.compile(
    rf"how {_DOES} they(?: all)? (?:{_TALK}|connected|related|linked|wired(?: up| together)?)"
    r"|what (?:does each(?: of them| one)?|do they) do"
    r"|what (?:is|are) (?:each|they)(?: of them)? for"
)
"""Clauses that ask on about what a clause before them asked for."""
_OPENS = re.compile("|".join((*(f"{_ASKING}{form}" for form in _FORMS), _DESCRIBE, _LISTED)))
_BREAK = re.compile(r"\s*(?:[?.!;,:]+(?:\s+and)?|\band(?= (?:how|what|which)\b))\s*")
_TAIL = re.compile(
    r"(?: please| in short| briefly| roughly| at a high level| in general| overall)+$"
)


def is_broad(question: str) -> bool:
    """Returns whether a question is about the design as a whole."""
    text = " ".join(question.lower().replace("\u2019", "'").split())
    if not text or len(text) > MAX_CHARS:
        return False
    text = text.replace("what's", "what is").replace("how's", "how is")
    clauses = [_TAIL.sub("", clause) for clause in _BREAK.split(text)]
    clauses = [clause for clause in clauses if clause not in ("", "please")]
    if len(clauses) == 2 and _TOP.fullmatch(clauses[0]) and _BELOW.fullmatch(clauses[1]):
        return True
    if not clauses or not _OPENS.fullmatch(clauses[0]):
        return False
    return all(_OPENS.fullmatch(one) or _FOLLOWS.fullmatch(one) for one in clauses[1:])
