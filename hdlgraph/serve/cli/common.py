"""What every command has: -q and -v, examples in its help, and its name for errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Annotated, Any

import typer

from hdlgraph.serve.cli.examples import EXAMPLES
from hdlgraph.serve.cli.output import say
from hdlgraph.serve.cli.volume import volume

Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Only errors on stderr: no progress, no notes."),
]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Tell more on stderr: how long each stage took."),
]


def dress(app: typer.Typer) -> None:
    """Gives all commands of an application what every command has."""
    for path, info in commands(app):
        info.callback = _loud(info.callback, path)
        if examples := EXAMPLES.get(path):
            # Typer writes each part between empty lines on a line of its own.
            info.epilog = "\n\n".join(("Examples:", *(f"$ hdlgraph {one}" for one in examples)))


def commands(app: typer.Typer, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (words that call it, registration) of all commands, those of groups too."""
    for info in app.registered_commands:
        name = info.name or info.callback.__name__.replace("_", "-")  # type: ignore[union-attr]
        yield f"{before}{name}", info
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from commands(group.typer_instance, f"{before}{group.name} ")


def _loud(command: Callable[..., int], path: str) -> Callable[..., int]:
    """Returns a command that takes -q and -v as well, and tells its times."""

    @wraps(command)
    def run(*args: Any, quiet: bool = False, verbose: bool = False, **options: Any) -> int:
        loudness = volume()
        loudness.begin(path, quiet, verbose)
        code = command(*args, **options)
        if loudness.verbose:
            loudness.mark_once("answer")
            loudness.mark("print")
            say(f"hdlgraph: {loudness.timings()}")
        return code

    shape = inspect.signature(command, eval_str=True)
    both = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in (("quiet", Quiet), ("verbose", Verbose))
    ]
    run.__signature__ = shape.replace(parameters=[*shape.parameters.values(), *both])  # type: ignore[attr-defined]
    run.__annotations__ = {
        **{name: one.annotation for name, one in shape.parameters.items()},
        **{one.name: one.annotation for one in both},
        "return": int,
    }
    return run
