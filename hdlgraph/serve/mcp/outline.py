"""Writes an object as plain text in few words: what a model reads where it gets no JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.results import Citation
from hdlgraph.safety.printable import visible, visible_lines

BARE = frozenset(
    {"location", "kind", "words", "name", "user_name", "user_kind", "text", "detail", "unit"}
    | {"role", "title", "purpose", "defined_at"}
)
"""Keys whose value says by itself what it is."""
PLACES = frozenset({"stated_at", "defined_at"})
"""Keys whose value is a place."""
FEW, SHORT = 3, 60
"""Names, and characters of them, that are written on the line of their entry."""
HEX = frozenset({"address", "offset", "base"})
"""Keys whose value is an address, which nobody reads as a decimal number."""
HIDDEN = frozenset({"schema", "truncated", "stale", "moved", "notes"})
"""Keys that are listed at the end, or say nothing to a reader."""


def outline(found: dict[str, Any]) -> str:
    """Returns the lines of an object: one for each entry, indented below what it belongs to."""
    lines: list[str] = []
    for key, value in found.items():
        if key not in HIDDEN:
            _write(lines, key, value, 0)
    return "\n".join(lines)


def cards(found: dict[str, Any]) -> str:
    """Returns the cards of `search_files` as text."""
    lines = [f"right file among the first five: {found['confidence']}"]
    lists = [key for key in found if key in ("files", "passages")]
    if lists == ["passages", "files"]:
        return "\n".join([*_passages(found), *lines, *_files(found)])
    lines += [*_files(found), *_passages(found)]
    if not found.get("files") and not found.get("passages"):
        lines.append("no file matches; ask in other words")
    return "\n".join(lines)


def _files(found: dict[str, Any]) -> list[str]:
    lines = []
    for rank, card in enumerate(found.get("files", ()), 1):
        copies = f", +{card['copies']} near copies" if card.get("copies") else ""
        lines.append(f"{rank}. {visible(card['path'])} ({card['role']}{copies})")
        lines.append(f"   {visible(card['what'])}")
        lines += [f"   {number}: {visible(text)}" for number, text in card.get("lines", {}).items()]
    return lines


def _passages(found: dict[str, Any]) -> list[str]:
    lines = []
    for one in found.get("passages", ()):
        at = f":{one['line']}" if "line" in one else f" page {one['page']}" if one["page"] else ""
        lines.append(f"- {visible(one['path'])}{at} ({one['kind']}) {visible(one['title'])}")
        lines.append(f"   {visible(one['text'])}")
        if "rtl" in one:
            lines.append(f"   see {visible(', '.join(one['rtl']))}")
    return lines


def answer(found: dict[str, Any]) -> str:
    """Returns the text of an answer, with the places that it cites and does not tell."""
    text = found["answer"]
    lines = [visible_lines(text)]
    for one in found.get("citations", ()):
        place = msgspec.convert(one, Citation).place
        if f"[{place}]" not in text:
            lines.append(f"[{one['marker']}] {visible(place)}")
    if found.get("further_files"):
        lines.append("also found: " + ", ".join(map(visible, found["further_files"])))
    return "\n".join(lines)


def source(found: dict[str, Any]) -> str:
    """Returns source lines with their numbers."""
    head = f"{visible(found['path'])} ({found['total_lines']} lines)"
    lines = [f"{number}: {visible_lines(text)}" for number, text in found.get("lines", {}).items()]
    return "\n".join([head, *lines])


def ending(found: dict[str, Any]) -> str:
    """Returns what the reader should know of the answer: notes and what is cut, "" for nothing."""
    lines = [f"note: {visible(note)}" for note in found.get("notes", ())]
    if found.get("truncated"):
        lines.append(f"truncated: {visible(found['truncated'])}")
    return "\n".join(lines)


def staleness(found: dict[str, Any]) -> str:
    """Returns a block on the files that moved since the index was made, "" where none did."""
    if not found.get("stale"):
        return ""
    lines = ["stale: true"]
    for kind, paths in found["moved"].items():
        listed = ", ".join(visible(path) for path in paths) if isinstance(paths, list) else paths
        if listed:
            lines.append(f"{kind}: {listed}")
    lines.append("lines of changed files are those of the index; `hdlgraph index` brings it up")
    return "\n".join(lines)


def _write(lines: list[str], key: str, value: Any, depth: int, path: str = "") -> None:
    """Writes an entry; `path` is that of the entry that it stands below."""
    indent = "  " * depth
    if isinstance(value, dict):
        lines.append(f"{indent}{visible(key)}: {_inline(value, path)}".rstrip())
        _write_inner(lines, value, depth + 1, path)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        lines.append(f"{indent}{visible(key)} ({len(value)}):")
        for one in value:
            lines.append(f"{indent}- {_inline(one, path)}".rstrip())
            _write_inner(lines, one, depth + 1, path)
    elif isinstance(value, list):
        lines.append(f"{indent}{visible(key)}: {', '.join(visible(str(one)) for one in value)}")
    else:
        lines.append(f"{indent}{visible(key)}: {visible(_plain(key, value))}")


def _write_inner(lines: list[str], value: Any, depth: int, path: str) -> None:
    """Writes the parts of an object that do not fit on its own line."""
    if isinstance(value, dict):
        path = str(value.get("location") or path).rpartition(":")[0] or path
    for key, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, dict | list) and not _is_short(one):
            _write(lines, key, one, depth, path)


def _inline(value: Any, path: str = "") -> str:
    """Returns the plain values of an object on one line, its place first.

    A place in the file `path` is told as its line alone.
    """
    if not isinstance(value, dict):
        return visible(str(value))
    parts = [_place(value["location"], path)] if "location" in value else []
    for key, one in value.items():
        if key == "location" or (isinstance(one, dict | list) and not _is_short(one)):
            continue
        if key == "kind" and "words" in value:
            continue  # the words say it
        value_text = ",".join(map(str, one)) if isinstance(one, list) else _plain(key, one)
        text = _place(one, path) if key in PLACES else visible(" ".join(value_text.split()))
        parts.append(text if key in BARE else f"{visible(key)}={text}")
    return " ".join(parts)


def _plain(key: str, value: Any) -> str:
    """Returns a plain value as text, an address in hexadecimal."""
    is_address = key in HEX and isinstance(value, int) and not isinstance(value, bool)
    return f"{value:#x}" if is_address else str(value)


def _is_short(value: Any) -> bool:
    """Returns whether a value is a list of few plain names, told on the line of their entry."""
    plain = isinstance(value, list) and all(isinstance(one, str | int) for one in value)
    return plain and 0 < len(value) <= FEW and sum(len(str(one)) for one in value) <= SHORT


def _place(place: Any, path: str) -> str:
    text = str(place)
    return visible(text.removeprefix(path) if path and text.startswith(f"{path}:") else text)
