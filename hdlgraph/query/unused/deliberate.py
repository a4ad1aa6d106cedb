"""Finds what is left unused on purpose: by its name, a comment, an attribute or a lint waiver."""

from __future__ import annotations

import re
from bisect import bisect_right

from hdlgraph.query.unused.texts import Text

_NAME = re.compile(
    r"(?:^|_)(?:un_?used|not_?used|nc|no_?connect|dummy|reserved|rsvd|spare|tie_?off|discard|"
    r"unconnected)\d*(?:_|$)|^_+$|^_unused|unused$",
    re.IGNORECASE,
)
_UNUSED_COMMENT = re.compile(
    r"\b(?:un-?used|not (?:currently )?used|not (?:yet )?(?:connected|supported|implemented)|"
    r"no longer used|reserved|spare|tie(?:d)?[- ]?off|unconnected|left open|don'?t care|"
    r"for (?:debug|future)|deprecated|legacy|placeholder|TODO|intentional)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\(\*[^*\n]{0,200}\b(?:unused|keep|dont_touch|mark_debug|maybe_unused)\b")
_LINT = re.compile(r"verilator\s+lint_(off|on)\s+(\w+)", re.IGNORECASE)
_WAIVED = re.compile(
    r"(?:spyglass\s+disable|ascentlint|lint_checking|nolint|verilog_lint:\s*waive|lint_waive)",
    re.IGNORECASE,
)
RULES = {
    "undriven": ("UNDRIVEN", "UNUSED"),
    "undriven_output": ("UNDRIVEN", "UNUSED"),
    "unread": ("UNUSED", "UNUSEDSIGNAL"),
    "unused": ("UNUSED", "UNUSEDSIGNAL", "UNDRIVEN"),
    "unread_input": ("UNUSED", "UNUSEDSIGNAL"),
    "open_input": ("PINMISSING", "PINCONNECTEMPTY"),
    "open_output": ("PINMISSING", "PINCONNECTEMPTY"),
    "parameter": ("UNUSED", "UNUSEDPARAM"),
    "localparam": ("UNUSED", "UNUSEDPARAM"),
}
"""The rules of Verilator whose waiver excuses a kind of finding."""


class Waivers:
    """The lint waivers of one file, by their lines."""

    def __init__(self, text: Text) -> None:
        self._changes: dict[str, list[tuple[int, bool]]] = {}
        if "lint_o" not in text.text:
            return
        for one in _LINT.finditer(text.text):
            line = text.line(one.start())
            changes = self._changes.setdefault(one[2].upper(), [])
            changes.append((line, one[1].lower() == "off"))

    def of(self, kind: str, line: int) -> str:
        """Returns the rule that is switched off at a line for a kind of finding, else ""."""
        for rule in RULES.get(kind, ()):
            changes = self._changes.get(rule, ())
            at = bisect_right(changes, (line, True)) - 1
            if at >= 0 and changes[at][1]:
                return rule
        return ""


def deliberate(text: Text, waivers: Waivers, kind: str, name: str, line: int) -> str:
    """Returns by what something unused is recognised as meant, "" where nothing excuses it."""
    if _NAME.search(name):
        return "its name"
    rule = waivers.of(kind, line)
    if rule:
        return f"lint_off {rule}"
    begin, end = text.span(line, line)
    written = text.text[begin:end]
    if _ATTRIBUTE.search(written):
        return "an attribute"
    comment = "".join(
        was for was, now in zip(written, text.code[begin:end], strict=False) if was != now
    )
    if _WAIVED.search(comment):
        return "a lint waiver"
    return "a comment" if _UNUSED_COMMENT.search(comment) else ""
