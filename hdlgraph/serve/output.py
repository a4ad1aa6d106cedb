"""Where text goes: data to stdout, progress and messages to stderr."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def emit(data: dict[str, Any]) -> None:
    """Prints the JSON object of a command."""
    json.dump(data, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """Prints a message for people to stderr."""
    sys.stderr.write(text + "\n")


@cache
def console() -> Console:
    """Returns the console of stdout; plain, unwrapped text when that is no terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True, emoji=False, markup=False)
