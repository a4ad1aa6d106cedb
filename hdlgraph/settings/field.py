"""One value of the settings: its default, its help text and the values it admits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any


def setting(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    repository: str | int | tuple[str, ...] = "",
) -> Any:
    """Returns a dataclass field with its help text and the values it admits.

    `repository` says what a settings.yaml that was only found in a repository may set: a rule of
    `confine`, the most of a number, or the values; without it nothing but the default.
    """
    metadata = {
        "repository": repository,
        "help": help,
        "choices": tuple(choices),
        "minimum": minimum,
        "maximum": maximum,
    }
    return field(default=default, metadata=metadata)
