"""Lists what a file states with its names and texts as written: assertions, messages, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hdlgraph.index.explain.by_rules.phrases import finish, join
from hdlgraph.index.explain.by_rules.prose import is_prose
from hdlgraph.model import FileRecord, Unit

_KINDS = (
    ("assert", "Has the assertions"),
    ("assume", "Has the assumptions"),
    ("cover", "Has the covergroups and cover properties"),
)
_CONSTANT = re.compile(r"\(?\s*(?:[01]|\d+'[bdh][01])\s*\)?(?=[,;)]|$)")
_NUMBERED = re.compile(r"[a-z]*\d+|genblk\w*|unnamed\w*", re.I)
_PREFIX = re.compile(
    r"^(?:%m|%0?t|\[[^\]]{0,40}\]|@\s?%0?t|#+(?:\s*[A-Z]\b)?|\w{0,20}%m\w{0,20})[\s:,.-]*"
)
_FIELD = re.compile(r"%-?\d*\.?\d*[a-zA-Z]|\$\w+")
_CUT = re.compile(r"[:=(\[{,<-]\s*$|[:=(\[]\s*[,;)\]]|^\W*[,;)\]]|\(\s*$")
"""What is left of a message where only its values were to say something."""
_OPEN_END = re.compile(r"\b(?:with|at|to|of|for|is|as|from|in|by|and|the|a|got|on)\W*$", re.I)
_COLOUR = re.compile(r"\\(?:x1b|033|e)\[[\d;]{0,10}m", re.I)
_INNER_END = re.compile(r"[.!?;]\s+\S")
MESSAGE_WORDS = 22


def assertions(units: Iterable[Unit], limit: int = 10) -> list[str]:
    """Returns sentences that name assertions, but for those that never or always hold."""
    known = [
        one
        for unit in units
        for one in unit.assertions
        if not _CONSTANT.match(one.text) and all(port.name != one.name for port in unit.ports)
    ]
    out = []
    for kind, verb in _KINDS:
        names = (one.name for one in known if one.kind.lower().startswith(kind))
        unique = list(dict.fromkeys(name for name in names if not _NUMBERED.fullmatch(name)))
        plain = [name for name in unique if "known" not in name.lower()] or unique[:1]
        if plain:
            quoted = [f"`{name}`" for name in plain[:limit]]
            more = [f"{len(plain) - limit} more"] if len(plain) > limit else []
            out.append(finish(f"{verb} {join([*quoted, *more])}"))
    return out


def messages(record: FileRecord, limit: int = 6) -> list[str]:
    """Returns one sentence that quotes what the file says at run time, whole messages only."""
    texts: dict[str, None] = {}
    for message in record.messages:
        text = _PREFIX.sub("", _PREFIX.sub("", _COLOUR.sub("", message.text).strip())).strip(" #")
        bare = " ".join(_FIELD.sub(" ", text).split())
        whole = (
            not _CUT.search(bare)
            and not _OPEN_END.search(text)
            and not _INNER_END.search(text)
            and "##" not in text
        )
        if whole and is_prose(bare) and len(text.split()) <= MESSAGE_WORDS:
            texts.setdefault(text.replace('\\"', "'").replace('"', "'").rstrip(" .;:"))
    chosen = [f'"{text}"' for text in list(texts)[:limit] if text]
    return [finish(f"Reports {join(chosen)}")] if chosen else []


def labels(unit: Unit, limit: int = 10) -> list[str]:
    """Returns a sentence with the labels of processes and of loops that make instances."""
    names = [process.label for process in unit.processes if process.label]
    scopes = (scope for instance in unit.instances for scope in instance.scopes)
    names += [s.label for s in scopes if s.label and s.condition.startswith("for")]
    chosen = list(dict.fromkeys(name for name in names if not _NUMBERED.fullmatch(name)))[:limit]
    return [finish("Has the blocks " + join([f"`{name}`" for name in chosen]))] if chosen else []
