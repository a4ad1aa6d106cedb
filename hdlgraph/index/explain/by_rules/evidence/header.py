r"""Reads the fields of a comment's head: what `Description:` says is kept, `Owner:` is not.

    // Engineer:    J. Doe                 dropped
    // Module Name: ping                   dropped
    // Description: Measures the round     told first
    //              trip of a frame.
    // Revision:                           dropped, with all lines up to a blank one
    //   0.01 - File created

Doxygen's commands (`@brief`, `\file`) are fields too.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hdlgraph.index.explain.by_rules.prose import sentences

_PROSE_FIELDS = frozenset(
    """description descriptions function functionality functional+description purpose abstract
    brief short summary overview synopsis title details detail desc design+description
    module+description file+description brief+description short+description objective content
    contents""".split()
)
_PROSE = frozenset(
    """docs doc comment comments additional+comment additional+comments note remark remarks
    documentation
    param parameter parameters tparam return returns retval port ports input inputs output outputs
    """.split()
)
_ONE_LINE = frozenset(
    """owner author engineer company date created creation+date create+date file filename file+name
    name module module+name design design+name project project+name unit unit+name entity
    target+device target+devices target device tool+version tool+versions tool tools language
    platform organization organisation e-mail email mail contact maintainer copyright
    license licence spdx-license-identifier version modified last+modified modified+by
    last+modified+by created+by created+on created+at generated generated+by generated+on
    designer department supervisor original+author coauthor contributor editor editors written+by
    board technology vendor simulator synthesizer url web website location path parent
    top+module library status class keywords keyword ingroup defgroup addtogroup addindex
    group since copydoc include category standard year id rcsfile source
    state locker header release verification+engineer design+engineer
    additional+contributions+by location+of+source""".split()
)
_LISTS = frozenset(
    """revision revisions revision+history history change+history change+log changelog changes
    version+history modification+history log dependencies dependency author+list authors
    contributors todo bug bugs bug+fix bugfix feature""".split()
)
_KINDS = {
    **dict.fromkeys(_ONE_LINE, "drop"),
    **dict.fromkeys(_LISTS, "list"),
    **dict.fromkeys(_PROSE, "prose"),
    **dict.fromkeys(_PROSE_FIELDS, "told"),
}
"""What becomes of a field: shown first, kept, or dropped; of a list up to a blank line."""
_LABEL = re.compile(
    r"(\s*)([A-Za-z][A-Za-z-]*(?: [A-Za-z-]+){0,3})(?:\(s\))?\s{0,20}(?::+|=+|-+\s)(.*)"
)
_COMMAND = re.compile(r"(\s*)[@\\]([a-z]+)\b[:{]?(?:\[[a-z,]*\])?(.*)")
_BARE = re.compile(r"(\s*)(Description|DESCRIPTION|Abstract)(?:\s{1,20}(\S.*)|())")
_MAY_HAVE = re.compile(r"[:@\\=-]|(?i:description|abstract)")
_MARKS = re.compile(r"^[\s*#|]+")
MAX_LINE = 400
"""Characters of a line that may begin a field."""
_FOLLOWS = 2  # columns by which a line is indented that continues a value


@lru_cache(maxsize=1 << 14)
def told(text: str) -> tuple[str, ...]:
    """Returns the prose sentences of a comment: those of describing fields first.

    What stands in fields about people, tools, names and dates is left out.
    """
    if not _MAY_HAVE.search(text):
        return sentences(text)
    described, rest = _split(text)
    return tuple(dict.fromkeys((*sentences(described), *sentences(rest))))


def _split(text: str) -> tuple[str, str]:
    """Returns (what describing fields say, what stands in no field)."""
    parts: dict[str, list[str]] = {"told": [], "rest": [], "drop": []}
    now, column, listed, empty = "rest", 0, False, False
    for raw in text.replace("\r", "").expandtabs(4).split("\n"):
        line = _MARKS.sub(lambda marks: " " * len(marks[0]), raw)
        field = _field(line)
        if field is not None:
            kind, column, value = field
            now = {"list": "drop", "prose": "rest"}.get(kind, kind)
            listed, empty = kind == "list", not value
            parts[now] += ["", value]
            continue
        if not line.strip():
            # An empty field may have its value below a blank line.
            now = now if empty and now == "told" else "rest"
            parts[now].append("")
            continue
        deeper = len(line) - len(line.lstrip()) >= column + _FOLLOWS
        if now == "drop" and not listed and not deeper:
            now = "rest"
        empty = False
        parts[now].append(raw if now == "rest" else line)
    return "\n".join(parts["told"]), "\n".join(parts["rest"])


def _field(line: str) -> tuple[str, int, str] | None:
    """Returns (kind, column, value) of a line that begins a field, else None."""
    if len(line) > MAX_LINE:
        return None
    command = _COMMAND.fullmatch(line)
    match = command or _LABEL.fullmatch(line) or _BARE.fullmatch(line)
    if not match:
        return None
    name = "+".join(match[2].lower().split())
    if name not in _KINDS:
        return ("drop", len(match[1]), "") if command and not match[3].strip() else None
    return _KINDS[name], len(match[1]), (match[3] or "").strip(" :-=")
