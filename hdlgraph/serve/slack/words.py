"""Text to and from Slack: the question in a message, and answers in which nothing is a command."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from hdlgraph.safety.printable import HIDDEN, visible

if TYPE_CHECKING:
    from hdlgraph.model.passage import Passage
    from hdlgraph.results import Answer, Hit

FILES = 5
"""Files that are listed below an answer."""
PASSAGES = 3
"""Passages that are listed beside them."""
SECTION = 2_900
"""Characters of one block; Slack takes 3,000."""
SECTIONS = 2
"""Blocks of an answer's text."""
LINE = 300
"""Characters of one line."""
CUT = "… the rest is cut; `hdlgraph ask` shows all of it"
_MENTION = re.compile(r"<@[A-Z0-9]+(?:\|[^<>]*)?>")
_LINK = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_SOURCE = re.compile(r"\s*\d+\||  (?:line +bits +field|\d+  +[\d:-]+  +\S+  )")
_UNSEEN = re.compile(f"[{HIDDEN}]")


def asked(text: str) -> str:
    """Returns the question in a message: without mentions, links as their text, one line."""
    plain = _MENTION.sub(" ", text)
    plain = _LINK.sub(lambda link: link[2] or link[1], plain)
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return " ".join(_UNSEEN.sub(" ", plain).split())


def escaped(text: str, longest: int = LINE) -> str:
    """Returns one line for Slack: nothing in it is a mention, a link or a control character.

    Args:
        text: of a repository, a model or a user.
        longest: characters that are kept; escaped, each may be five.
    """
    plain = visible(text.replace("\t", "    "))
    plain = plain if len(plain) <= longest else plain[: longest - 1] + "…"
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def reply(answer: Answer, understood: str = "") -> dict[str, Any]:
    """Returns the message that answers a question: `text` for notices, and `blocks`.

    Args:
        answer: of the project.
        understood: the question that was searched, where it is not the one that was typed.
    """
    hits, routing = answer.result.hits[:FILES], answer.result.routing
    files = _joined(["*Files*", *map(_file, hits)]) if hits else []
    passages = answer.result.passages[:PASSAGES]
    papers = _joined(["*Documents*", *map(_passage, passages)]) if passages else []
    lists = [papers, files] if routing and routing.first == "passages" else [files, papers]
    blocks = [_section(text) for text in (*lists[0], *lists[1], *_parts(answer.text))]
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
    joined = _joined([part for part in parts if part.strip()])
    return joined if len(joined) <= SECTIONS else [*joined[:SECTIONS], CUT]


def _joined(parts: list[str]) -> list[str]:
    """Returns the parts, joined to as few texts as fit into blocks."""
    joined: list[str] = []
    for part in parts:
        if joined and len(joined[-1]) + len(part) < SECTION:
            joined[-1] += f"\n{part}"
        else:
            joined.append(part)
    return joined


def _part(lines: list[str], source: bool) -> str:
    text = "\n".join(lines)
    return f"```\n{text.replace('```', chr(39) * 3)}\n```" if source else text.strip("\n")


def _file(hit: Hit) -> str:
    """Returns the lines of a file: at most 2,600 characters."""
    # A path is cut at its beginning: its end tells more.
    path = hit.path if len(hit.path) <= 200 else f"…{hit.path[-199:]}"
    place = escaped(path, 400).replace("`", "'") + f":{hit.line}"
    copies = f" (+{len(hit.copies)} near copies)" if hit.copies else ""
    summary = escaped(hit.summary, 160).replace("`", "'").replace("*", "∗")
    why = f"\n      {escaped(hit.why[0], 120)}" if hit.why else ""
    return f"{hit.rank}. `{place}`{copies} {summary}{why}"


def _passage(one: Passage) -> str:
    """Returns the lines of a passage: at most 1,300 characters."""
    path = one.path if len(one.path) <= 200 else f"…{one.path[-199:]}"
    at = f":{one.line}" if one.line else f", page {one.page}" if one.page else ""
    place = escaped(path, 400).replace("`", "'") + at
    title = escaped(" > ".join(dict.fromkeys((*one.crumbs[-1:], one.title))), 160)
    plain = title.replace("`", "'").replace("*", "∗")
    link = next((one for one in one.links if one.path), None)
    line = f"{one.rank}. `{place}` {plain}"
    if link is None:
        return line
    return f"{line}\n      " + escaped(f"{link.path}:{link.line}", 200).replace("`", "'")


def _remarks(answer: Answer, understood: str) -> list[str]:
    """Returns what a reader should know besides, as short phrases."""
    result, remarks = answer.result, []
    if understood:
        remarks.append(f"understood as: {escaped(understood)}")
    if result.likely:
        remarks.append(f"right file among the first five: {result.likely}")
    stale = result.stale
    if stale.any:
        many = len(stale.added) + len(stale.changed) + len(stale.removed) + stale.unchecked
        remarks.append(f"{many} files changed since they were indexed")
    if result.hits:
        remarks.append("answer :+1: or :-1: to say whether the first file is the right one")
    return remarks or ["nothing in the index fits"]
