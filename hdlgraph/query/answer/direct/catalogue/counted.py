"""The value of a member of an enumeration whose line writes none."""

from __future__ import annotations

from hdlgraph.query.reach.numbers import NoNumberError, literal


def counted(detail: str, member: str) -> str:
    """Returns ", its value N as counted" of a member, "" where its value is written or not clear.

    Args:
        detail: of the type, as the graph has it: `enum logic, 1 bit {A, B = 2}`.
        member: its name.
    """
    if not detail.startswith("enum") or not detail.endswith("}"):
        return ""
    number = -1
    for part in detail.partition("{")[2].removesuffix("}").split(","):
        name, _, written = part.partition("=")
        try:
            number = literal(written) if written else number + 1
        except NoNumberError:
            return ""
        if name.strip() == member:
            return "" if written else f", its value {number} as counted"
    return ""
