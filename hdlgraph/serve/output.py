"""Where text goes: data to stdout, progress and messages to stderr."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def emit(data: dict[str, Any]) -> None:
    """Prints the JSON object of a command."""
    json.dump(data, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """Prints a message for people to stderr."""
    sys.stderr.write(clean(text) + "\n")


def put(text: Text | str = "") -> None:
    """Prints text for people to stdout, coloured on a terminal."""
    from rich.text import Text

    shown = Text(text) if isinstance(text, str) else text
    shown.plain = clean(shown.plain)
    console().print(shown)


def flow(text: str) -> None:
    """Prints a piece of a text that is still coming to stdout, at once and as it is."""
    sys.stdout.write(clean(text))
    sys.stdout.flush()


def clean(text: str) -> str:
    """Returns text whose control characters, which a repository may carry, became blanks."""
    return "".join(ch if ch.isprintable() or ch in "\n\t" else " " for ch in text)


@cache
def console() -> Console:
    """Returns the console of stdout; plain, unwrapped text when that is no terminal."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Leaves a closed pipe to the command line; rich would end the process."""
            raise BrokenPipeError

    return Piped(highlight=False, soft_wrap=True, emoji=False, markup=False)
