"""Text to and from Slack: the question in a message, and answers in which nothing is a command."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from hdlgraph.safety.printable import HIDDEN, visible

if TYPE_CHECKING:
    from hdlgraph.results import Answer, Hit

FILES = 5
"""Files that are listed below an answer."""
SECTION = 2_900
"""Characters of one block; Slack takes 3,000."""
SECTIONS = 6
"""Blocks of an answer's text."""
LINE = 300
"""Characters of one line."""
CUT = "… cut; `hdlgraph ask` shows all of it"
_MENTION = re.compile(r"<@[A-Z0-9]+(?:\|[^<>]*)?>")
_LINK = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_SOURCE = re.compile(r"\s*\d+\|")
_UNSEEN = re.compile(f"[{HIDDEN}]")


def asked(text: str) -> str:
    """Returns the question in a message: without mentions, links as their text, one line."""
    plain = _MENTION.sub(" ", text)
    plain = _LINK.sub(lambda link: link[2] or link[1], plain)
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return " ".join(_UNSEEN.sub(" ", plain).split())


def escaped(text: str) -> str:
    """Returns one line for Slack: nothing in it is a mention, a link or a control character."""
    plain = visible(text.replace("\t", "    "))
    plain = plain if len(plain) <= LINE else plain[: LINE - 1] + "…"
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Returns one line as code."""
    return f"`{escaped(text).replace('`', chr(39))}`"


def reply(answer: Answer, understood: str = "") -> dict[str, Any]:
    """Returns the message that answers a question: `text` for notices, and `blocks`.

    Args:
        answer: of the project.
        understood: the question that was searched, where it is not the one that was typed.
    """
    blocks = [_section(text) for text in _parts(answer.text)]
    hits = answer.result.hits[:FILES]
    if hits:
        blocks.append(_section("\n".join(["*Files*", *map(_file, hits)])))
    blocks.append(
        {"type": "context", "elements": [_text(" · ".join(_remarks(answer, understood)))]}
    )
    first = next((line for line in answer.text.splitlines() if line.strip()), "no answer")
    return {"text": escaped(first), "blocks": blocks}


def _text(text: str) -> dict[str, Any]:
    # verbatim: Slack makes no links and no mentions of names and addresses in it.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": _text(text)}


def _parts(text: str) -> list[str]:
    """Returns an answer in parts that fit into blocks; source lines are shown as code."""
    parts: list[str] = []
    for source, group in groupby(text.splitlines(), lambda line: bool(_SOURCE.match(line))):
        kept: list[str] = []
        for line in [escaped(one) for one in group]:
            if sum(map(len, kept)) + len(kept) + len(line) > SECTION - 10:
                parts.append(_part(kept, source))
                kept = []
            kept.append(line)
        parts.append(_part(kept, source))
    parts = [part for part in parts if part.strip()]
    joined: list[str] = []
    for part in parts:
        if joined and len(joined[-1]) + len(part) < SECTION:
            joined[-1] += f"\n{part}"
        else:
            joined.append(part)
    return joined if len(joined) <= SECTIONS else [*joined[:SECTIONS], CUT]


def _part(lines: list[str], source: bool) -> str:
    text = "\n".join(lines)
    return f"```\n{text.replace('```', chr(39) * 3)}\n```" if source else text.strip("\n")


def _file(hit: Hit) -> str:
    place = code(f"{hit.path}:{hit.line}")
    copies = f" (+{len(hit.copies)} near copies)" if hit.copies else ""
    why = f"\n      {escaped(hit.why[0])}" if hit.why else ""
    return f"{hit.rank}. {place}{copies} {_brief(hit.summary)}{why}"


def _brief(summary: str) -> str:
    """Returns the beginning of a summary."""
    text = escaped(summary if len(summary) <= 160 else summary[:159] + "…")
    return text.replace("`", "'").replace("*", "∗")


def _remarks(answer: Answer, understood: str) -> list[str]:
    """Returns what a reader should know besides, as short phrases."""
    result, told = answer.result, []
    if understood:
        told.append(f"understood as: {escaped(understood)}")
    if result.likely:
        told.append(f"right file among the first five: {result.likely}")
    stale = result.stale
    if stale.any:
        many = len(stale.added) + len(stale.changed) + len(stale.removed) + stale.unchecked
        told.append(f"{many} files changed since they were indexed")
    if result.hits:
        told.append("answer :+1: or :-1: to say whether the first file is the right one")
    return told or ["nothing in the index fits"]
