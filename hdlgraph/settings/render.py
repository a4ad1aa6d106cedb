"""Writes settings.yaml: GraphRAG's sections from `graphrag.yaml`, then our own, with comments."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from importlib.resources import files
from typing import Any

SECTION = "hdlgraph"

_HEADER = """\
# Settings of hdlgraph. One file serves Microsoft GraphRAG (the sections below) and hdlgraph
# (its own section at the end). GraphRAG reads the whole file as a string template: write every
# dollar sign twice, comments included ($$clog2).
"""


_SHORT = """\
# Settings of hdlgraph for this repository. Every key has a default and none is set here: to set
# one, take the `# ` away before it and before the name of its section. hdlgraph obeys in a file
# that it finds in a repository what docs/repository-settings.md allows, as that is a stranger's.
#
# For more, a language model for one, write a file of your own and name it:
#     hdlgraph init --all MINE        writes all keys, GraphRAG's sections and the prompts
#     hdlgraph index REPO --settings MINE/settings.yaml
"""


def render(settings: Any) -> str:
    """Returns the whole commented settings.yaml for these settings."""
    lines = [_HEADER, _graphrag(), "# ---- hdlgraph " + "-" * 79, "", f"{SECTION}:"]
    lines.extend(_render_record(settings, indent=2))
    return "\n".join(lines).rstrip() + "\n"


def render_short(settings: Any) -> str:
    """Returns a short settings.yaml: the keys that a repository may set, commented out."""
    lines = [_SHORT, f"{SECTION}:"]
    for section in dataclasses.fields(settings):
        record = getattr(settings, section.name)
        keys = [f for f in dataclasses.fields(record) if f.metadata["repository"] != ""]
        if keys:
            doc = (type(record).__doc__ or "").strip().splitlines()[0]
            lines += ["", *_comment(doc, "  "), f"  # {section.name}:"]
        for field in keys:
            lines += _comment(help_text(field), "  #   ")
            lines.append(f"  #   {field.name}: {scalar(getattr(record, field.name))}")
    return "\n".join(lines).rstrip() + "\n"


def _graphrag() -> str:
    return files("hdlgraph.settings").joinpath("graphrag.yaml").read_text(encoding="utf-8")


def _render_record(record: Any, indent: int) -> list[str]:
    pad = " " * indent
    lines: list[str] = []
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if dataclasses.is_dataclass(value):
            doc = (type(value).__doc__ or "").strip().splitlines()[0]
            lines.extend(["", *_comment(doc, pad), f"{pad}{field.name}:"])
            lines.extend(_render_record(value, indent + 2))
            continue
        lines.extend(_comment(help_text(field), pad))
        lines.append(f"{pad}{field.name}: {scalar(value)}")
    return lines


def help_text(field: Any) -> str:
    """Returns what a field of the settings is for, with the values that it admits."""
    choices = field.metadata.get("choices")
    text = field.metadata.get("help", "")
    named = all(re.search(rf"\b{re.escape(c)}\b", text) for c in choices or ())
    return text if named else f"{text} ({', '.join(choices)})"


def _comment(text: str, pad: str) -> list[str]:
    escaped = text.replace("$", "$$")
    return [f"{pad}# {line}" for line in textwrap.wrap(escaped, 92 - len(pad))]


def scalar(value: Any) -> str:
    """Returns a value as settings.yaml has it."""
    if isinstance(value, tuple):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("$", "$$")
        plain = re.fullmatch(r"[A-Za-z.][\w./-]*", escaped)
        reserved = escaped.lower() in {"true", "false", "yes", "no", "on", "off", "null", "none"}
        return escaped if plain and not reserved else '"' + _quoted(escaped) + '"'
    return str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
