"""What an expression makes of the names in it: a copy, the inverse, a choice, parts, or logic."""

from __future__ import annotations

import re

from hdlgraph.query.clocks.keys import Key, key_of
from hdlgraph.query.signals.choices import choices

LONGEST = 400
"""Characters of a value that is read."""
COPY, INVERTED, CHOICE, PARTS, LOGIC = "copy", "inverted", "choice", "parts", "logic"
_BARE = re.compile(r"[\s(){}]|\$(?:un)?signed|[A-Za-z_][\w:$]*'|\[[^\]]*\]")
_SELECTED = re.compile(r"\[[^\[\]]*\]")
_WORD = re.compile(r"[A-Za-z_$\\][\w$.]*")


def form_of(text: str, names: int) -> str:
    """Returns the form of a value.

    Args:
        text: as written, "" where it is not kept.
        names: how many names it reads.
    """
    if not text or len(text) > LONGEST:
        return LOGIC if names or text else COPY
    if "?" in text and len(choices(text)) > 1:
        return CHOICE
    bare = _BARE.sub("", text)
    if bare[:1] in ("~", "!") and _WORD.fullmatch(bare[1:]):
        return INVERTED
    if _WORD.fullmatch(bare):
        return COPY
    return PARTS if text.lstrip()[:1] == "{" and not re.search(r"[&|^+*/<>?=-]", text) else LOGIC


def copied(text: str, name: Key) -> Key:
    """Returns the key of the one name in a copy, with the selection behind it."""
    at = text.find(".".join(name))
    rest = text[at + len(".".join(name)) :].strip() if at >= 0 and len(name) == 1 else ""
    found = _SELECTED.match(rest)
    return key_of(name[0], found[0]) if found else name


def chosen(text: str) -> set[str]:
    """Returns the names among which a choice chooses, without those it tests."""
    found: set[str] = set()
    for value, _ in choices(text):
        found.update(_WORD.findall(_BARE.sub(" ", value)))
    return found
