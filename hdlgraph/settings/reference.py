"""The reference of all settings as Markdown, written from their records."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.settings.records import Settings
from hdlgraph.settings.render import help_text, scalar

HEAD = """\
# Settings

Written from the code: every key of the section `hdlgraph:` of settings.yaml, with its default.
`hdlgraph init --all` writes them all into a file; a settings.yaml that was only found in a
repository may set those of [repository-settings.md](repository-settings.md).
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """One key of the settings: its full name (`search.k`), what it is for, its default as YAML."""

    key: str
    help: str
    default: str


def settings() -> list[Setting]:
    """Returns every key of our section of settings.yaml, in the order of the file."""
    return list(_keys(Settings(), ""))


def _keys(record: Any, prefix: str) -> Iterator[Setting]:
    for field in dataclasses.fields(record):
        value, key = getattr(record, field.name), f"{prefix}{field.name}"
        if dataclasses.is_dataclass(value):
            yield from _keys(value, f"{key}.")
        else:
            yield Setting(key, help_text(field), scalar(value))


def settings_page() -> str:
    """Returns the page of all settings as Markdown, one table for each section."""
    parts, section = [HEAD], ""
    for one in settings():
        first = one.key.partition(".")[0]
        if first != section:
            section = first
            parts.append(f"\n## `{section}`\n\n| key | default | meaning |\n|---|---|---|\n")
        meaning = re.sub(r"([\\*_<|\[\]])", r"\\\1", one.help)
        parts.append(f"| `{one.key}` | `{one.default}` | {meaning} |\n")
    return "".join(parts)
