"""Decides what the settings.yaml of a repository may set: harmless values, limits only downward.

Whoever wrote a repository is not the user. A settings file that was merely found in it may say
which files are its design and what is read from them; it may not make hdlgraph take more of the
machine, load a model or send anything. The file that the user names with --settings may.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from typing import Any

from hdlgraph.safety.printable import is_plain

ANY = "any"
"""The repository may set any value that is admitted at all."""
LOWER = "lower"
"""It may set values up to the default."""
CORES = "cores"
"""It may set a number; more than the cores that may be used counts as these."""
SUFFIXES = "suffixes"
"""It may set endings of file names, each with a dot."""

ITEMS = 200
"""Most entries of a list that a repository sets."""
CHARS = 200
"""Most characters of a text that a repository sets."""
_SUFFIX = re.compile(r"\.[A-Za-z0-9_+-]{1,15}(\.[A-Za-z0-9_+-]{1,15})?")


def refusal(field: dataclasses.Field[Any], value: Any) -> str:
    """Returns why a repository may not set a field to this value, "" where it may.

    Args:
        field: made by `records.setting`.
        value: as the settings record holds it.
    """
    rule = field.metadata["repository"]
    if value == field.default:
        return ""
    if rule == "":
        return "is not for a repository to set"
    if isinstance(rule, tuple):
        return "" if value in rule else f"may only be {' or '.join(rule)} in a repository"
    most = field.default if rule == LOWER else rule
    if isinstance(most, int | float) and value > most:
        return f"may be at most {most:,.10g} in a repository"
    texts = (value,) if isinstance(value, str) else value
    if isinstance(texts, tuple):
        return _refused_texts(texts, rule)
    return ""


def _refused_texts(texts: tuple[str, ...], rule: Any) -> str:
    if len(texts) > ITEMS:
        return f"has {len(texts)} entries, {ITEMS} at most in a repository"
    for text in texts:
        if len(text) > CHARS or not is_plain(text):
            return f"may hold {CHARS} characters at most in a repository, none of them for control"
        if rule == SUFFIXES and not _SUFFIX.fullmatch(text):
            return f"may only hold endings such as .sv in a repository, not `{text}`"
    return ""


def capped(field: dataclasses.Field[Any], value: Any) -> Any:
    """Returns a value that a repository may set, a number of processes within the cores."""
    if field.metadata["repository"] != CORES or value == field.default:
        return value
    return min(value, _cores())


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def allowed(record: Any) -> Iterator[tuple[str, str]]:
    """Yields (key, what a repository may set it to) of all keys that it may set."""
    for section in dataclasses.fields(record):
        for field in dataclasses.fields(getattr(record, section.name)):
            rule = field.metadata["repository"]
            if rule != "":
                yield f"{section.name}.{field.name}", _words(rule, field.default)


def _words(rule: Any, default: Any) -> str:
    if isinstance(rule, tuple):
        return " or ".join(rule)
    if rule == LOWER:
        return f"at most {default:,.10g}"
    words = {ANY: "any", CORES: "at most the usable cores", SUFFIXES: "endings with a dot"}
    return words.get(rule) or f"at most {rule:,.10g}"
