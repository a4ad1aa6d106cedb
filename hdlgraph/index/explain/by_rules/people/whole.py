"""Tells whether a sentence stands in a comment as it is told: from end to end, nothing left out.

Sentences are made of lines from which code, rulers and tool directives were taken out. Where one
of these stood inside a sentence, or a list follows it, what is left is a fragment.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hdlgraph.index.explain.by_rules.people.predicates import is_label
from hdlgraph.index.explain.by_rules.prose import sentences

_END = re.compile(r"[.!?][)\"'`\]]*$")
_GAP = r"[\s*/!<|#]+"
_AFTER = re.compile(
    r"[ \t.;,!*/#|=~_-]*(?:$|\n[\s*/#|]*(?:$|\n|[-•+]|`[A-Z]\w+\s*\(|\(?\w{1,3}[.)]\s|This\b"
    r"|[@\\]\w|[A-Z][\w -]{0,30}(?:\(s\))?\s{0,9}[:=]))|\s+[-*•]\s"
)
"""What may follow a sentence without a full stop: nothing, a blank line, a list, a field."""
_LISTED = re.compile(r"(?:^|\n)[\s*/#!-]*[\w\[\]:.]+[ \t]+-+[ \t]*$")
"""What stands before the words of a list on one of its names."""
_ITEM = re.compile(r"[\s*/#!]*(?:[-•+]|\(?\w{1,2}[.)])[ \t]")
_ROW = re.compile(r"\n[ \t*/#]*[\w.:\[\]]+ {3,}\S")
"""The next row of a table inside a sentence."""
_TABLE = re.compile(r"\s\|\s|=\s*\d+\s*\||-->|==>|\+-|(?:^|\s)[<>]-|\\\\|\{\{")
_OPEN = re.compile(
    r"\b(?:a|an|and|as|avoid|because|by|if|is|or|prevent|than|that|the|to|when|where|which"
    r"|while|with)\W*$",
    re.I,
)
_LEADS_ON = re.compile(r"\b(?:follow\w*|below|like this|examples?|exists?|these|are)\b", re.I)
"""What a sentence before a colon says that says nothing without the list behind it."""
_LONG = 8
"""Words of a sentence that says something, though a list follows it."""


def is_whole(text: str, *sources: str) -> bool:
    """Tells whether a sentence stands in one of its sources, and ends where it seems to end."""
    if _TABLE.search(text) or _OPEN.search(text):
        return False
    return any(_stands_in(text, source) for source in sources if source)


@lru_cache(maxsize=1 << 14)
def _stands_in(text: str, source: str) -> bool:
    words = text.rstrip(".").split()
    found = re.search(_GAP.join(map(re.escape, words)), source)
    if found is None or _LISTED.search(source[max(found.start() - 60, 0) : found.start()]):
        return False
    if _in_list(source[: found.start()]) or _ROW.search(found[0]):
        return False
    rest = found.end()
    if source[rest : rest + 1] == ":":
        return len(words) >= _LONG and not _LEADS_ON.search(text)
    if _END.search(found[0]) or (_END.search(text) and source[rest : rest + 1] in ".!?"):
        return True
    return bool(_AFTER.match(source.replace("\r", " "), rest))


def _in_list(before: str) -> bool:
    """Tells whether what stands before a text makes it an item of a list with words over it."""
    lines = before.split("\n")
    if not _ITEM.match(lines.pop()):
        return False
    while lines and (_ITEM.match(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    return bool(lines) and lines[-1].rstrip().endswith(":") and len(lines[-1].split()) > 1


def last_part(comment: str) -> str:
    """Returns a comment without headings above what it says: they are of a whole section."""
    parts = [part for part in re.split(r"\n\s*\n", comment) if part.strip()]
    while len(parts) > 1 and all(is_label(text) for text in sentences(parts[0]) or ("",)):
        del parts[0]
    return "\n\n".join(parts)
