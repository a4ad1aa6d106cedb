"""Checks that a quoted sentence stands in its comment as a whole, with nothing left out.

Sentences are made of lines from which code, rulers and tool directives were taken out. Where one
of these stood inside a sentence, or a list follows it, what is left is a fragment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from hdlgraph.index.explain.by_rules.people.predicates import is_label
from hdlgraph.index.explain.by_rules.prose import has, sentences

_END = re.compile(r"[.!?][)\"'`\]]*$")
_WORD = re.compile(r"[^\s*/!<|#]+")
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
_TABLE_SIGNS = ("|", "-->", "==>", "+-", "<-", ">-", "\\\\", "{{")
"""One of them is in each text that `_TABLE` finds."""
_OPEN = re.compile(
    r"\b(?:a|an|and|as|avoid|because|by|if|is|or|prevent|than|that|the|to|when|where|which"
    r"|while|with)\W*$",
    re.I,
)
_OPEN_ENDS = (
    "a", "an", "and", "as", "avoid", "because", "by", "if", "is", "or", "prevent", "than", "that",
    "the", "to", "when", "where", "which", "while", "with",
)  # fmt: skip
"""How each text ends, less what is no word, that `_OPEN` finds."""
_NO_WORD = "".join(char for char in map(chr, range(128)) if not re.match(r"\w", char))
_LEADS_ON = re.compile(r"\b(?:follow\w*|below|like this|examples?|exists?|these|are)\b", re.I)
"""Words in a sentence before a colon that means nothing without the list behind it."""
_LONG = 8
"""Fewest words of a sentence that means something by itself, though a list follows it."""


def is_whole(text: str, *sources: str) -> bool:
    """Returns whether a sentence stands in one of its sources, and ends there where it seems to."""
    if (has(text, _TABLE_SIGNS) and _TABLE.search(text)) or _is_open(text):
        return False
    return any(_stands_in(text, source) for source in sources if source)


def _is_open(text: str) -> bool:
    """Returns whether a sentence ends with a word that more must follow."""
    if text.isascii() and not text.rstrip(_NO_WORD).lower().endswith(_OPEN_ENDS):
        return False
    return bool(_OPEN.search(text))


@lru_cache(maxsize=1 << 12)
def _stands_in(text: str, source: str) -> bool:
    begin, rest = _place(text, source)
    if begin < 0 or _LISTED.search(source, max(begin - 60, 0), begin):
        return False
    found = source[begin:rest]
    if _in_list(source[:begin]) or _ROW.search(found):
        return False
    if source[rest : rest + 1] == ":":
        return len(text.split()) >= _LONG and not _LEADS_ON.search(text)
    if _END.search(found) or (_END.search(text) and source[rest : rest + 1] in ".!?"):
        return True
    return bool(_AFTER.match(source.replace("\r", " "), rest))


def _place(text: str, source: str) -> tuple[int, int]:
    """Returns where a text without its full stop stands in a source, whatever is between words."""
    wanted = " ".join(_WORD.findall(text.rstrip(".")))
    flat, starts, places = _words(source)
    at = flat.find(wanted)
    if at < 0 or not wanted:
        return -1, -1
    end = at + len(wanted) - 1
    first, last = (bisect_right(starts, one) - 1 for one in (at, end))
    return places[first] + at - starts[first], places[last] + end - starts[last] + 1


@lru_cache(maxsize=64)
def _words(source: str) -> tuple[str, list[int], list[int]]:
    """Returns the words of a source on one line, where each begins there, and in the source."""
    found = list(_WORD.finditer(source))
    starts = list(accumulate((len(one[0]) + 1 for one in found), initial=0))
    return " ".join(one[0] for one in found), starts[:-1], [one.start() for one in found]


def _in_list(before: str) -> bool:
    """Returns whether what stands before a text makes it an item of a list with words over it."""
    lines = before.split("\n")
    if not _ITEM.match(lines.pop()):
        return False
    while lines and (_ITEM.match(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    return bool(lines) and lines[-1].rstrip().endswith(":") and len(lines[-1].split()) > 1


def last_part(comment: str) -> str:
    """Returns a comment without headings above what it says: they are of a whole section."""
    if comment.count("\n") < 2:
        return comment
    parts = [part for part in re.split(r"\n\s*\n", comment) if part.strip()]
    while len(parts) > 1 and all(is_label(text) for text in sentences(parts[0]) or ("",)):
        del parts[0]
    return "\n\n".join(parts)
