"""The command that keeps an index open for other commands: warm."""

from __future__ import annotations

import signal
import sys
import threading

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(warm)


def warm(context: typer.Context, index: options.Index = None, as_json: options.Json = False) -> int:
    """Keep an index open until Ctrl-C, so that other commands answer at once.

    Commands of the same user that read this index (`search`, `ask`, `show`, `who`, `trace` and
    others) use it by themselves. `hdlgraph mcp` and `hdlgraph serve` do the same beside their work.
    """
    from hdlgraph.serve.warm.kept import Kept
    from hdlgraph.serve.warm.server import WarmServer

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kept = Kept(index)
    folder = kept.folder()
    server = WarmServer(kept, context.obj)
    if not server.start():
        raise UsageError(
            f"index {folder}: another process keeps it open already, or this system does not tell "
            "who is at the other end of a socket; commands work without"
        )
    try:
        kept.load()
        if as_json:
            emit({"schema": 1, "index": str(folder)}, indent=None)
            sys.stdout.flush()
        say(f"hdlgraph: index {folder} is open for commands (Ctrl-C stops)")
        threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    finally:
        server.stop()
    return 0
