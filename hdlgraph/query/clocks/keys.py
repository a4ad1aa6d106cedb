"""Names of nets with their members and selections, and what an expression makes of them.

A key is the parts of a name: `bus.lane[3].valid` is ("bus", "lane", "[3]", "valid"). A selection
that is not constant is left out, so that the key stands for all of it, or kept where its index
counts (`elements/loops.py`); a constant of a package is named without it. A form is what a value
is of the names in it: a copy, the inverse, a choice, parts side by side, or logic.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from hdlgraph.parsers.text.expressions import fields_of
from hdlgraph.query.signals.machines.choices import choices

Key = tuple[str, ...]
COUNTED = "[?"
"""What a selection that counts begins with."""
OWN = " of line "
"""What stands between the name of a variable of one process and the line of that."""
LONGEST_NAME = 2000
"""Characters of a name that are read."""
MOST_PARTS = 12
"""Parts of a key; `assign a = a.b` would make ever longer ones."""
_PART = re.compile(r"\s*(?:(?:\.\s*)?(\\\S+|[A-Za-z_$][\w$]*)|\[([^\[\]]*)\])")
_NUMBERS = re.compile(r"\s*(\d+)\s*(?::\s*(\d+)\s*)?")
_CONSTANT = re.compile(r"\s*(?:[A-Za-z_]\w*::)*[A-Z]\w*(?:\.[a-z_]\w*)?\s*")
_INDEXES = re.compile(r"\[[^\[\]]*\]")
_RANGES = re.compile(r"\[[^\[\]?]*[^\[\]?+:-]\s*:[^\[\]?:]*\]")
_SIGN = re.compile(r"[&|^+*/<>?=-]")
LONGEST_VALUE = 400
"""Characters of a value that is read."""
COPY, INVERTED, CHOICE, PARTS, LOGIC = "copy", "inverted", "choice", "parts", "logic"
_BARE = re.compile(r"[\s(){}]|\$(?:un)?signed|[A-Za-z_][\w:$]*'|\[[^\]]*\]")
_WORD = re.compile(r"[A-Za-z_$\\][\w$.]*")


@lru_cache(maxsize=200_000)
def key_of(name: str, bits: str = "", counters: frozenset[str] = frozenset()) -> Key:
    """Returns the key of a name with the selection behind its first part, as flows have them.

    An index with one of the names that count is kept as it is written.
    """
    text = (name.partition(".")[0] if "." in name else name) + bits if bits else name
    found: list[str] = []
    at = 0
    while at < len(text) <= LONGEST_NAME:
        part = _PART.match(text, at)
        if part is None:  # cut, or an index within an index
            return tuple(name.split(".")) if bits else tuple(found) or (name,)
        at = part.end()
        if part[1]:
            found.append(part[1])
        elif counters and counters & {*_WORD.findall(part[2])}:
            found.append(f"{COUNTED}{part[2].strip()}]")
        elif is_constant(part[2]):
            found.append(f"[{part[2].strip().rpartition('::')[2]}]")
    return tuple(found[:MOST_PARTS]) or (name[:LONGEST_NAME],)


def is_constant(text: str) -> bool:
    """Returns whether an index is a number, or a name that is written like a constant."""
    return bool(_NUMBERS.fullmatch(text) or _CONSTANT.fullmatch(text))


def joined(outer: Key, rest: Key) -> Key:
    """Returns a key with what lies below it, without that where it would be too long."""
    return outer + rest if len(outer) + len(rest) <= MOST_PARTS else outer


def text_of(key: Key) -> str:
    """Returns a key as it is written."""
    text = "".join(part if part[0] == "[" else f".{part}" for part in key).lstrip(".")
    return text.replace(key[0], key[0].partition(OWN)[0], 1) if key and OWN in key[0] else text


def owned(key: Key, names: Collection[str], line: int) -> Key:
    """Returns the key of a net, apart from those of its name elsewhere where a process has it.

    Args:
        key: of a name in a process.
        names: of the variables that the process has for itself.
        line: where the process begins.
    """
    return (f"{key[0]}{OWN}{line}", *key[1:]) if key[0] in names else key


def overlap(one: Key, other: Key) -> bool:
    """Returns whether two keys share anything: one is the other, holds it, or lies in it."""
    a = b = 0
    while a < len(one) and b < len(other):
        left, right = one[a], other[b]
        if left[0] == "[" and right[0] == "[":
            if _apart(left, right):
                return False
            a, b = a + 1, b + 1
        elif left[0] == "[":
            a += 1
        elif right[0] == "[":
            b += 1
        elif left != right:
            return False
        else:
            a, b = a + 1, b + 1
    return True


def below(key: Key, outer: Key) -> Key:
    """Returns what of a key lies below another that it overlaps, () where that is not less."""
    a = b = 0
    while a < len(key) and b < len(outer):
        left, right = key[a], outer[b]
        if right[0] == "[" and left[0] != "[":
            b += 1
        elif left[0] == "[" and right[0] != "[":
            a += 1
        else:
            a, b = a + 1, b + 1
    return key[a:]


def members(key: Key) -> Key:
    """Returns what of a key lies behind the selections that it begins with: of an element."""
    at = next((at for at, part in enumerate(key) if part[0] != "["), len(key))
    return key[at:]


def element_of(key: Key, rest: Key) -> Key:
    """Returns an element of a net; of a net that is an element all of it."""
    return key if key[-1][0] == "[" else joined(key, rest)


def field_of(pattern: str, field: str) -> str:
    """Returns what an assignment pattern gives a field, "" where that is not told."""
    given = fields_of(pattern)
    return given.get(field, given.get("default", ""))


@lru_cache(maxsize=50_000)
def _apart(one: str, other: str) -> bool:
    """Returns whether two selections share no bit."""
    if one.startswith(COUNTED) or other.startswith(COUNTED):
        return False
    first, second = _NUMBERS.fullmatch(one[1:-1]), _NUMBERS.fullmatch(other[1:-1])
    if first and second:
        left = sorted((int(first[1]), int(first[2] or first[1])))
        right = sorted((int(second[1]), int(second[2] or second[1])))
        return left[1] < right[0] or right[1] < left[0]
    return not first and not second and one != other


def form_of(text: str, names: int) -> str:
    """Returns the form of a value.

    Args:
        text: as written, "" where it is not kept.
        names: how many names it reads.
    """
    if not text or len(text) > LONGEST_VALUE:
        return LOGIC if names or text else COPY
    if "?" in text and len(choices(text)) > 1:
        return CHOICE
    bare = _BARE.sub("", text)
    if bare[:1] in ("~", "!") and _WORD.fullmatch(bare[1:]):
        return INVERTED
    if _WORD.fullmatch(bare):
        return COPY
    is_list = text.lstrip()[:1] in ("{", "'")
    return PARTS if is_list and not _SIGN.search(_INDEXES.sub("", text)) else LOGIC


def is_indexed(bits: str) -> bool:
    """Returns whether a selection has an index; a range such as `[N-1:0]` is constant and none."""
    return "[" in _RANGES.sub("", bits)


def chosen(text: str) -> set[str]:
    """Returns the names among which a choice chooses, without those it tests."""
    found: set[str] = set()
    for value, _ in choices(text):
        found.update(_WORD.findall(_BARE.sub(" ", value)))
    return found


def is_among(key: Key, names: set[str]) -> bool:
    """Returns whether some names have that of a net, or of a structure that it is a member of."""
    plain = [part for part in key if part[0] != "["]
    return any(".".join(plain[:end]) in names for end in range(1, len(plain) + 1))
