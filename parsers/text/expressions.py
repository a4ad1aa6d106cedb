"""Names in expressions, read from their text (cheaper than walking their trees)."""

from __future__ import annotations

import re
from collections.abc import Iterable

KEYWORDS = frozenset(
    """always always_comb always_ff always_latch and assert assign assume automatic before begin
        bind bit break buf byte case casex casez cell class clocking config const
        constraint context continue cover covergroup coverpoint cross deassign default
        defparam disable dist do edge else end endcase endclass endclocking endfunction
        endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram
        endproperty endsequence endtask enum event expect export extends extern final
        first_match for force foreach forever fork forkjoin function generate genvar
        highz0 highz1 if iff ifnone import incdir include initial inout input inside
        instance int integer interface intersect join join_any join_none large let local
        localparam logic longint macromodule matches medium modport module nand negedge
        new nor not notif0 notif1 null or output package packed parameter posedge
        primitive priority program property protected pull0 pull1 pulldown pullup pure
        rand randc randcase randsequence real realtime ref reg release repeat return
        sequence shortint shortreal signed small solve specify specparam static string
        strong0 strong1 struct super supply0 supply1 table tagged task this throughout
        time timeprecision timeunit tri tri0 tri1 triand trior trireg type typedef union
        unique unique0 unsigned until use var virtual void wait wait_order wand weak0
        weak1 while wildcard wire with within wor xnor xor s_always s_eventually
        s_nexttime s_until strong weak eventually nexttime accept_on""".split()
)
GATES = frozenset(
    """and nand or nor xor xnor buf not bufif0 bufif1 notif0 notif1 nmos pmos cmos rnmos rpmos
    rcmos tran tranif0 tranif1 rtran rtranif0 rtranif1 pullup pulldown""".split()
)
"""Primitives of the language: an instance of one is no instance of a module."""

# Not a name: after a dot (member, formal), a quote (literal base), a backtick, `::` or `$`.
_NAME = re.compile(r"([A-Za-z_](?<![\w$.`'].)(?<!::.)[\w$]*+)(?!\s*(?:::|\())")
_PATH = re.compile(
    r"(?<![\w$.`'])(?<!::)[A-Za-z_][\w$]*(?:\s*\[[^\[\]]*\])*"
    r"(?:\s*\.\s*[A-Za-z_][\w$]*(?:\s*\[[^\[\]]*\])*)+(?!\s*\()"
)
_CAST = re.compile(r"(?<![\w$.`'])(?<!::)([A-Za-z_]\w*)\s*'\s*\(")
# Both end with the text where nothing closes them, or each one begun would search to its end.
_STRING = re.compile(r"\"(?:[^\"\\]|\\[\s\S])*(?:\"|\\?\Z)")
_KEY = re.compile(r"([{,]\s*)[A-Za-z_]\w*\s*:(?!:)")
_COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_BASE = re.compile(r"\s*([A-Za-z_][\w$]*)")


def first_letters(words: Iterable[str]) -> str:
    """Returns a pattern of words that stand behind no name, dot, backtick or quote.

    The letters that they begin with come first: the engine passes over all other places fast.
    """
    rest: dict[str, list[str]] = {}
    for word in words:
        rest.setdefault(word[0], []).append(word[1:])
    each = "|".join(f"(?<={letter})(?:{'|'.join(tails)})" for letter, tails in rest.items())
    return rf"[{''.join(rest)}](?<![\w$.`'].)(?:{each})"


def clean(text: str, limit: int = 0) -> str:
    """Returns source text on one line without comments, cut at `limit` characters if given."""
    if not text.isidentifier():  # as many are: those are on one line already
        if "/" in text:
            text = _COMMENT.sub(" ", text)
        text = " ".join(text.split())
    return text[: limit - 1] + "…" if limit and len(text) > limit else text


def names(text: str) -> list[str]:
    """Returns the simple names that an expression reads, in order with repetitions.

    Members (`a.b` reads `a`), literals, calls, casts, macros and package names are left out.
    """
    if text.isidentifier() and text.isascii():
        return [] if text in KEYWORDS else [text]
    if '"' in text:
        text = _STRING.sub('""', text)
    if "'{" in text:
        text = _KEY.sub(r"\1", text)
    if "'" in text:
        text = _CAST.sub("(", text)
    return [name for name in _NAME.findall(text) if name not in KEYWORDS]


def paths(text: str) -> tuple[str, ...]:
    """Returns the dotted names in an expression without blanks, as `g[i].u_a.q`."""
    if '"' in text:
        text = _STRING.sub('""', text)
    found = ("".join(match[0].split()) for match in _PATH.finditer(text))
    return distinct(found)


def distinct(items: Iterable[str]) -> tuple[str, ...]:
    """Returns items without repetitions in order of first appearance."""
    return tuple(dict.fromkeys(items))


def targets(text: str) -> list[str]:
    """Returns the names an assignment's left side writes (several for a concatenation)."""
    text = text.strip()
    if text.startswith(("{", "'{")):
        return [name for part in separated(text.strip("'{}")) for name in targets(part)]
    match = _BASE.match(text)
    return [match[1]] if match and match[1] not in KEYWORDS else []


def separated(text: str) -> list[str]:
    """Returns the parts of a text between the commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "[({":
            depth += 1
        elif char in "])}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return parts


def fields_of(pattern: str) -> dict[str, str]:
    """Returns what an assignment pattern gives each field, `default` among them.

    Of `'{a: x, default: '0}` that is {"a": "x", "default": "'0"}; of a text that is cut within the
    pattern the last field is left out, and {} of one without a pattern.
    """
    _, begin, rest = pattern.partition("'{")
    inner, end, _ = rest.rpartition("}")
    parts = separated(inner if end else rest)
    if begin and not end:
        parts.pop()
    named = (one.partition(":") for one in parts)
    return {name.strip(): value.strip() for name, colon, value in named if colon}


def closing(code: str, start: int, limit: int = 4000) -> int:
    """Returns the offset behind the parenthesis that closes the one before `start`.

    Returns `start` when none closes within `limit` characters.
    """
    depth = 1
    for at in range(start, min(len(code), start + limit)):
        char = code[at]
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at + 1
    return start
