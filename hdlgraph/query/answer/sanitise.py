"""Makes a model's text plain: nothing in it can load an address or pose as something else.

An answer may be rendered as Markdown by whoever shows it. A comment in the repository could make
the model write an image whose address carries what it has read, so no link leaves here.
"""

from __future__ import annotations

import re
import unicodedata

REMOVED = "(link removed)"
_URL = re.compile(
    r"(?:(?:https?|ftps?|wss?|\bfile|\bmailto)\s*:\s*[/\\]+|\b(?:javascript|vbscript|mailto)\s*:"
    r"|\bdata\s*:\s*[\w.+-]+/[\w.+-]+\s*[;,]|\bwww\.)[^\s\])}>\"'`]*",
    re.I,
)
_LINK = re.compile(r"!?\[([^\[\]]{0,400})\]\([^()\s]{0,2000}(?:\s[^()]{0,400})?\)")
_DEFINITION = re.compile(r"^(\s{0,3}\[[^\]\n]{1,400}\]):", re.M)
_KEPT = "\n\t"


def printable(text: str) -> str:
    """Returns text without control, format (invisible, bidirectional) and surrogate characters."""
    return "".join(
        ch for ch in text if ch in _KEPT or unicodedata.category(ch) not in ("Cc", "Cf", "Cs")
    )


def neutral(text: str) -> tuple[str, int]:
    """Returns a text whose links, images and HTML are plain words, and how many there were.

    The words of a link stay, its address goes. What remains of their marks is parted by blanks,
    so that no renderer takes `](`, `![` or `<a` for one.
    """
    text, linked = _LINK.subn(lambda found: f"[{found[1]}]" if ":" in found[1] else found[1], text)
    text, bare = _URL.subn(REMOVED, text)
    return parted(text), linked + bare


def parted(text: str) -> str:
    """Returns a text without the pairs of characters that begin a link, an image or HTML."""
    text = re.sub(r"!(?=\[)", "! ", text)
    text = re.sub(r"\](?=\()", "] ", text)
    text = re.sub(r"<(?=[A-Za-z/!?])", "< ", text)
    return _DEFINITION.sub(r"\1 :", text)
