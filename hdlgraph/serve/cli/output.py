"""Where text goes: data to stdout, progress and messages to stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.safety.printable import HIDDEN, visible
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text


ERROR = "hdlgraph: error:"
"""How a message begins that -q does not silence."""

_HIDDEN = re.compile(f"[{HIDDEN}]")


def emit(data: dict[str, Any], indent: int | None = 2) -> None:
    """Prints the JSON object of a command; without `indent` on one line."""
    volume().mark_once("answer")
    # Escaped in the whole text, not value by value: outside of its strings JSON has none of them.
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    sys.stdout.write(_HIDDEN.sub(_escape, text) + "\n")


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def give(
    found: Any, as_json: bool, file: Path | None = None, text: Callable[[], str] | None = None
) -> int:
    """Prints a result as text or JSON, and writes its JSON to a file where one is named.

    `text` makes another text than the result's own.
    """
    if file is not None:
        from hdlgraph.eval.scores.run_json import write_json

        write_json(file, found.to_dict())
    if as_json:
        emit(found.to_dict())
    else:
        put(text() if text else found.to_text())
    return 0


def say(text: str) -> None:
    """Prints a message for people to stderr: one line, whatever a path in it holds.

    With -q only errors are.
    """
    if volume().quiet and not text.startswith(ERROR):
        return
    sys.stderr.write(visible(text) + "\n")


def put(text: Text | str = "") -> None:
    """Prints text for people to stdout, coloured on a terminal."""
    from rich.text import Text

    volume().mark_once("answer")
    content = Text(text) if isinstance(text, str) else text
    content.plain = clean(content.plain)
    for line in _fitting(content):
        console().print(line)


def _fitting(text: Text) -> Iterable[Text]:
    """Returns text in lines that fit the terminal, further ones indented; words stay whole."""
    width = console().width
    if not console().is_terminal or "\n" in text.plain or text.cell_len <= width:
        return (text,)
    indent = min(len(text.plain) - len(text.plain.lstrip()) + 2, width // 2)
    first, *rest = text.divide(_breaks(text.plain, width - indent, indent))
    for line in (first, *rest):
        line.rstrip()
    for line in rest:
        line.pad_left(indent)
    return (first, *rest)


def _breaks(text: str, width: int, first: int) -> list[int]:
    """Returns where a line is broken: before words that pass the edge.

    Args:
        text: the line.
        width: characters of a line.
        first: how many more the first line has.
    """
    from rich.cells import cell_len

    found: list[int] = []
    start, room = 0, width + first
    for word in re.finditer(r"\S+", text):
        begun = text[start : word.start()].strip()
        if begun and cell_len(text[start : word.end()]) > room:
            found.append(word.start())
            start, room = word.start(), width
    return found


def flow(text: str) -> None:
    """Prints a piece of a streamed text to stdout without delay.

    On a terminal its lines are broken between words; elsewhere it is unchanged.
    """
    volume().mark_once("answer")
    cleaned = clean(text)
    if console().is_terminal:
        from hdlgraph.serve.cli.text.wrap import Wrapper

        loudness = volume()
        loudness.wrapper = loudness.wrapper or Wrapper(console().width)
        cleaned = loudness.wrapper.feed(cleaned)
    sys.stdout.write(cleaned)
    sys.stdout.flush()


def clean(text: str) -> str:
    """Returns text whose control characters, which a repository may carry, became blanks.

    So do characters that are not seen or turn the direction of writing; lines stay lines.
    """
    return "".join(ch if ch.isprintable() or ch in "\n\t" else " " for ch in text)


class Terminal(NamedTuple):
    """Where a command's output is shown, when that is not this process's own stdout.

    `size` is columns and lines, or nothing where the variables say it.
    """

    is_one: bool
    size: tuple[int, ...]
    variables: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, is_one: bool, size: Sequence[int], variables: Mapping[str, str]) -> Terminal:
        """Returns a terminal as another process tells of it."""
        is_fixed = "COLUMNS" in variables or variables.get("TERM") in ("dumb", "unknown")
        columns, lines = size  # 0 where a terminal does not know its own
        chosen = () if is_fixed else (int(columns) or 80, int(lines) or 25)
        return cls(is_one, chosen, tuple(sorted(variables.items())))


TERMINAL: ContextVar[Terminal | None] = ContextVar("terminal", default=None)
"""What stdout is in a thread that runs a command for another process."""


def console() -> Console:
    """Returns the console of stdout; plain, unwrapped text when that is no terminal."""
    return _console(TERMINAL.get())


@lru_cache(maxsize=8)
def _console(terminal: Terminal | None) -> Console:
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Leaves a closed pipe to the command line; rich would end the process."""
            raise BrokenPipeError

    plain: dict[str, Any] = {"highlight": False, "soft_wrap": True, "emoji": False}
    if terminal is not None:
        plain["_environ"] = dict(terminal.variables)
        if terminal.size:
            plain["width"], plain["height"] = terminal.size
    return Piped(**plain, markup=False)
