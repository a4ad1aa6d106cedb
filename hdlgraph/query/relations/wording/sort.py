"""What sort of thing a question wants by its wording: a file, a place, a value, a link, or a block.

"What is port P of U tied to" and "which clock does R run on" want what is written somewhere, so the
file in which it is written answers them; "which block is it connected to" wants the other block.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SIGN = (
    r"signals?|nets?|wires?|clocks?|resets?|values?|expressions?|constants?|levels?|widths?|depths?"
    r"|sizes?|settings?|numbers?"
)
_JOINED = r"(?:wired|connected|hooked(?: up)?|attached|linked|joined)"
_FILE = r"(?:files?|headers?|test ?-?bench(?:es)?|bench(?:es)?|packages?)"
_BEHIND = (
    r"(?=\s*(?:$|[?,.;:]|(?:is|are|was|does|do|did|has|have|can|gets?|goes|of|on|in|for|at|to|by"
    r"|from|it|its|the|that|and|or|with|runs?|drives?|feeds?|clocks?|resets?|reaches|arrives)\b))"
)
SORTS: dict[str, str] = {
    "value": rf"\b(?:which|what) (?:[\w-]+ ){{0,2}}?(?:{_SIGN})\b{_BEHIND}"
    r"|\b(?:to|by|from|at|on|with) what (?:is|are)\b"
    r"|\bwhat (?:is|are) .*\b(?:tied|set|fixed|strapped) (?:to|at)\b"
    r"|\b(?:which|what)\b.*\b(?:does|do) [^,;]* get\b|\bhow (?:many|wide|deep|large|big)\b",
    "link": rf"\bwhat (?:is|are)\b.*\b{_JOINED} (?:to|up to|with)\b"
    rf"|\b(?:to|with) (?:which|what)\b.*\b{_JOINED}",
    "file": rf"\b(?:which|what|whose|find|show(?: me)?|need|name|give me|want|looking for|am after)"
    rf" (?:the |a |an )?(?:[\w-]+ ){{0,2}}?{_FILE}\b",
    "made": r"\b(?:which|what) (?:file|header|bench|test ?-?bench)\b[^,;]* (?:binds?|attaches|hangs"
    r"|hooks|wires|ties|connects|sets|joins)\b",
    "place": r"\bwhere\b",
    "need": r"^(?:please )?(?:i (?:need|want|seek|am (?:after|looking for|searching for))|i'm "
    r"(?:after|looking for|searching for)|looking for)\b",
    "show": r"\b(?:show|find|name|open|locate|give me|point me to|tell me)\b",
    "is there": r"^(?:is|are) there\b",
}
"""Name of a sort, or of how a question is put, and the words that say so."""
PLACED = tuple(SORTS)[:5]
"""Those of SORTS that say whether the file is wanted in which an edge is stated."""


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in SORTS.values())


@lru_cache(maxsize=256)
def sorts(text: str) -> tuple[float, ...]:
    """Returns for each of SORTS whether a question is of it, 1 or 0."""
    return tuple(float(one.search(text) is not None) for one in _patterns())
