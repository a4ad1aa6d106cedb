"""Which words that go with relations of a design a question has, and how it is built."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from hdlgraph.query.relations.readings.clauses import WH, has_name, wanted_at
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.sought import Sought
from hdlgraph.query.relations.wording.sort import sorts

S = Sought
WORDS: dict[str, str] = {
    "instance": r"instan(?:tiat|c)\w*|sub-?(?:modules?|blocks?|units?|components?)",
    "child": r"child(?:ren)?|parts?|pieces?|constituents?|building blocks?|ingredients?",
    "parent": r"parents?|users?|owners?|enclos\w+|surround\w*|wrapper|wraps?|hosts?|houses|holds?"
    r"|embeds?|contains?|incorporat\w+|integrat\w+",
    "inside": r"inside|within|nested|buried|contained|beneath|underneath|below|belongs?|lives?"
    r"|sits?",
    "levels": r"levels?|up|down|deep|above|further|directly?",
    "made": r"built|build|builds|made|composed|consists?|comprises?|copies|copy|assembled"
    r"|put together",
    "uses": r"us(?:es?|ed|ing)|employs?|needs?|relies|shares?",
    "drive": r"driv\w+|drove|feeds?|fed|suppl\w+|produc\w+|generat\w+|comput\w+|rais\w+"
    r"|assert(?:s|ed)?"
    r"|sourc\w+|delivers?|provid\w+|mak(?:es?|ing)|creat\w+|emit\w*|issu\w+|outputs? of|origin\w*"
    r"|hands?|gives?|sends?|tells?|controls?|sets?|toggl\w+|calculat\w+",
    "read": r"reads?|consum\w+|tak(?:es?|en)|receiv\w+|watch\w*|sampl\w+|listens?|observ\w+"
    r"|monitor\w*"
    r"|gets?|reacts?|picks? up|loads?|sinks?|uses?|used|sees?|looks? at|acts? on|evaluat\w+",
    "goes": r"goes|going|go|comes?|coming|leaves?|leaving|from|towards?|ends? up|arriv\w+|reach\w*",
    "net": r"signals?|nets?|wires?|lines?|ports?|pins?|outputs?|inputs?|flags?|bits?|bus(?:es)?"
    r"|requests?|data|address|results?|valid|ready",
    "between": r"(?:in ?)?between|in the middle|in front of|ahead of|on the way|path",
    "join": r"connect\w*|wired|hook\w*|join\w*|linked|tied|attach\w*|glue\w*|bridges?|together|meet"
    r"|plugged|each other|talks?",
    "both": r"both|and",
    "type": r"struct(?:ure)?s?|enum\w*|typedefs?|types?|unions?|records?|layouts?|encodings?"
    r"|formats?"
    r"|constants?|offsets?|codes?|_t|fields?",
    "declared": r"declar\w+|defin(?:e[sd]?|ition|ing)|specified|stated",
    "package": r"packages?|headers?|include files?|\w*_pkg|\w+\.s?vh",
    "import": r"imports?|imported|importing|includes?|included|including|pulls? in|`include",
    "extend": r"extend\w*|inherit\w*|deriv\w+|sub-?class\w*|base|super|parent (?:class|sequence"
    r"|test)"
    r"|builds? (?:up)?on|specialis\w+|descend\w*",
    "class": r"class(?:es)?|sequences?|\w*vseq|\w+_seq|scoreboards?|agents?|drivers?|monitors?",
    "bind": r"bind\w*|bound|attach\w*|hook\w*",
    "checker": r"assertions?|checkers?|propert(?:y|ies)|coverage|interfaces?|sva|monitors?",
    "choose": r"choos\w+|chosen|choice|select\w*|picks?|picked|decid\w+|switch\w*|enabl\w+"
    r"|determin\w+"
    r"|only (?:built|there|present|when|if)|variants?|depending|configur\w+|controls?",
    "setting": r"parameters?|defines?|macros?|options?|ifdef|generate|preprocessor|settings?"
    r"|configurations?|generics?",
    "bench": r"test ?-?bench(?:es)?|bench(?:es)?|tb|harness(?:es)?|dut|simulation|simulator"
    r"|stand-?alone|environment|test top|on its own|by itself",
    "formal": r"formal(?:ly)?|proofs?|proves?|proven|property|verif\w+|tests?|tested|exercis\w+"
    r"|checks?|checked|stimulat\w+|simulated",
    "clock": r"clocks?|clk\w*|\w*_clk\w*|clocked|gated|clock gat\w+|domains?",
    "reset": r"resets?|rst\w*|\w*_rst\w*|resetting",
    "state": r"states?|state ?machines?|fsm|sequencer",
    "walks": r"walks?|steps?|goes through|transitions?|moves?|enters?|leaves",
    "behave": r"handles?|detects?|implements?|performs?|manages?|stores?|keeps?|ensures?|prevents?"
    r"|happens?|works?|guarante\w+|arbitrat\w+|prioriti\w+|does it|behav\w+",
    "story": r"when|while|if|until|after|before|because|without|once|unless|so|but|then|must|should"
    r"|would|can|could|cannot|never|already|still",
    "unit": r"modules?|units?|blocks?|cells?|files?|peripherals?|instances?|components?|wrappers?"
    r"|primitives?|circuits?|engines?|stages?",
}  # fmt: skip
"""Words of general English and of hardware, by what they say of a relation."""
SOUGHT: tuple[frozenset[Sought], ...] = (
    frozenset((S.CHILDREN, S.TESTED)), frozenset((S.PARENTS, S.HOLDERS)),
    frozenset((S.DRIVERS, S.UPSTREAM)), frozenset((S.READERS, S.DOWNSTREAM)),
    frozenset((S.BETWEEN, S.NEIGHBOURS)), frozenset((S.BETWEEN, S.MIDDLE)),
    frozenset((S.DEFINITION,)),
    frozenset((S.IMPORTERS, S.IMPORTED)), frozenset((S.BASES, S.DERIVED)),
    frozenset((S.BOUND, S.BIND_TARGETS)), frozenset((S.CONFIGURED, S.SETTINGS)),
    frozenset((S.TESTS,)), frozenset((S.CLOCKED, S.CLOCKS, S.RESET, S.RESETS)),
    frozenset((S.STATE_OWNER,)),
)  # fmt: skip
NEAR = 5
"""Words behind the question word that are looked at by themselves."""
_HOW = re.compile(r"^(?:how|why|when|can|does|is|explain|compare)\b", re.I)
_MORE = re.compile(
    r"[,;.?] (?:and )?(?:how|why|when|what|which|where)\b|\band (?:how|why|what)\b", re.I
)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"(?<![\w$])(?:{one})(?![\w$])", re.I) for one in WORDS.values())


def features(text: str, readings: Sequence[Reading]) -> list[float]:
    """Returns what tells of what kind a question is: words it has, how it is built, readings.

    Args:
        text: the question.
        readings: of it, by its cues; a known form has likelihood 1.
    """
    wh, wanted = WH.search(text), wanted_at(text)
    behind = " ".join(text[wanted[1] :].split()[:NEAR]) if wanted else ""
    out = [float(one.search(text) is not None) for one in _patterns()]
    out += [float(one.search(behind) is not None) for one in _patterns()]
    likely = [max((one.likely for one in readings if one.asked.sought in group), default=0.0)
              for group in SOUGHT]  # fmt: skip
    words = text.split()
    first = wh["wh"].lower() if wh else ""
    return [
        *out, *likely, max(likely),
        float(has_name(text)), min(len(words), 40) / 10, float(wh is None),
        *(float(first == one) for one in ("which", "what", "where")),
        float(first in ("who", "whom", "whose")), float(bool(wh and wh["prep"])),
        float(_HOW.match(text) is not None), float(_MORE.search(text) is not None),
        min(text.count(","), 4) / 2, float(text.rstrip().endswith("?")),
        float(wh is not None and text[: wh.start()].strip() == ""),
        *sorts(text),
    ]  # fmt: skip
