"""What an editor shows of a name: its card as Markdown, or as plain text."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.safety.printable import visible

MAX_SHOWN = 12
"""Ports, parameters and users of a card; of more, the number is told."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#!|~&])")


def card(found: dict[str, Any], markdown: bool) -> str:
    """Returns a card of what `Project.card` found.

    Args:
        found: the definition.
        markdown: whether the editor shows Markdown; text of the repository stays text in it.
    """
    lines = [f"**{_plain(found['kind'], markdown)}** {_code(found['name'], markdown)}"]
    if not markdown:
        lines = [f"{found['kind']} {visible(found['name'])}"]
    if found["location"]:
        lines[0] += f" — {_plain(found['location'], markdown)}"
    if found.get("detail"):
        lines.append(_code(found["detail"], markdown))
    texts = dict.fromkeys(filter(None, (found.get("explanation"), found.get("doc"))))
    lines += [_plain(text, markdown) for text in texts]
    for part in ("parameters", "ports", "instances"):
        lines += _members(part, found.get(part) or [], markdown)
    lines += _users(found, markdown)
    return "\n\n".join(lines)


def _members(part: str, entries: list[dict[str, Any]], markdown: bool) -> list[str]:
    if not entries or "doc" not in entries[0]:
        return []
    rows = []
    for entry in entries[:MAX_SHOWN]:
        units = ", ".join(unit["name"] for unit in entry.get("units", ())[:2])
        name = entry["name"].partition(".")[2] or entry["name"]
        words = " ".join(filter(None, (units, entry["detail"])))
        rows.append(f"- {_code(f'{name}: {words}' if words else name, markdown)}")
    return ["\n".join([f"{part} ({len(entries)}):", *rows, *_more(len(entries))])]


def _users(found: dict[str, Any], markdown: bool) -> list[str]:
    users = found.get("parents") or found.get("users") or []
    if not users:
        return []
    rows = [
        f"- {_code(user['user_name'], markdown)} {_plain(user['location'], markdown)}"
        for user in users[:MAX_SHOWN]
    ]
    count = found.get("n_parents") or len(users)
    return ["\n".join([f"used by ({count}):", *rows, *_more(count)])]


def _more(count: int) -> list[str]:
    return [f"- ... and {count - MAX_SHOWN} more"] if count > MAX_SHOWN else []


def _plain(text: str, markdown: bool) -> str:
    clean = visible(" ".join(text.split()))
    return _SPECIAL.sub(r"\\\1", clean).replace("://", ":\u2060//") if markdown else clean


def _code(text: str, markdown: bool) -> str:
    """Returns a text as code, in which nothing of Markdown counts."""
    clean = visible(" ".join(text.split()))
    return f"`{clean.replace('`', chr(39))}`" if markdown else clean
