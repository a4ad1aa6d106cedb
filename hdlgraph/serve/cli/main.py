"""The command line: arguments in, one call of Project, result out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from hdlgraph import __version__
from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.safety.child_process import clean_environment
from hdlgraph.safety.open_files import allow_many
from hdlgraph.safety.telemetry import silence
from hdlgraph.serve.cli.common import Quiet, Verbose, dress
from hdlgraph.serve.cli.output import say
from hdlgraph.serve.cli.plain_values import spare_conversions
from hdlgraph.serve.cli.volume import BEGAN, fresh, volume

INTERRUPTED = 130
"""Exit code of a command that was ended by Ctrl-C."""

FORMER = {"rewrite": "reword", "no-rewrite": "no-reword"}
"""Names that options had in the version before; they are still understood."""

app = typer.Typer(
    name="hdlgraph",
    help="Ask a design question about a Verilog or SystemVerilog repository, get the right file.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: FORMER.get(name, name),
    },
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hdlgraph {__version__}")
        raise typer.Exit()


@app.callback()
def common(
    version: Annotated[  # noqa: ARG001  (its callback answers)
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Ask a design question about a Verilog or SystemVerilog repository, get the right file."""
    loudness = volume()
    loudness.quiet, loudness.verbose = quiet, verbose


def _register() -> None:
    """Adds all commands, in the order in which --help lists them."""
    from hdlgraph.serve.ci import affected as affected_commands
    from hdlgraph.serve.cli import chat as chat_commands
    from hdlgraph.serve.cli import demo as demo_command
    from hdlgraph.serve.cli import eval as eval_commands
    from hdlgraph.serve.cli import export as export_commands
    from hdlgraph.serve.cli import graph as graph_commands
    from hdlgraph.serve.cli import index as index_commands
    from hdlgraph.serve.cli import overview as overview_commands
    from hdlgraph.serve.cli import search as search_commands
    from hdlgraph.serve.clocks import command as clock_commands
    from hdlgraph.serve.documents import command as documents_command
    from hdlgraph.serve.elaborate import command as elaborate_command
    from hdlgraph.serve.health import command as health_commands
    from hdlgraph.serve.lsp import command as lsp_command
    from hdlgraph.serve.mcp import command as mcp_commands
    from hdlgraph.serve.reach import command as reach_command
    from hdlgraph.serve.registers import command as register_command
    from hdlgraph.serve.signals import command as signal_commands
    from hdlgraph.serve.slack import command as slack_command
    from hdlgraph.serve.train import command as train_commands
    from hdlgraph.serve.unused import command as unused_command
    from hdlgraph.serve.verification import command as verification_command
    from hdlgraph.serve.warm import command as warm_commands
    from hdlgraph.serve.watch import command as watch_command
    from hdlgraph.serve.web import command as web_commands
    from hdlgraph.serve.workspace import command as workspace_command

    groups = (
        *(index_commands, health_commands, demo_command, search_commands, overview_commands),
        *(eval_commands, chat_commands, graph_commands, export_commands),
        *(web_commands, mcp_commands, warm_commands),
        *(affected_commands, watch_command, lsp_command, slack_command),
        *(elaborate_command, signal_commands, clock_commands, register_command),
        *(unused_command, reach_command, verification_command, documents_command),
        *(train_commands, workspace_command),
    )
    for module in groups:
        module.register(app)
    dress(app)


_register()


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves with its exit code: 0 done, 1 failures, 2 wrong use."""
    silence(own=True)
    clean_environment()  # libraries start processes too
    allow_many()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments, BEGAN))


@cache
def _command() -> Callable[..., Any]:
    """Returns the command line as click has it; made once, for a process that runs many."""
    command: Callable[..., Any] = spare_conversions(typer.main.get_command(app))
    return command


def run(arguments: Sequence[str], began: float | None = None) -> int:
    """Returns the exit code of one command line; expected errors become one line on stderr.

    `began` is when its process did, by `time.perf_counter`; None for now.
    """
    fresh(time.perf_counter() if began is None else began)
    try:
        # A command that stays open may run others: it finds this function in its context.
        result = _command()(list(arguments), standalone_mode=False, prog_name="hdlgraph", obj=run)
        if result == INTERRUPTED:  # typer makes a silent exit code of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except UsageError as error:
        return _complain(_with_help(error), error.exit_code)
    except HdlgraphError as error:
        return _complain(error.lines, error.exit_code)
    except BrokenPipeError:
        return _unread()
    except SystemExit as leaving:  # typer and rich make an exit code of 1 of a closed pipe
        if isinstance(leaving.__context__, BrokenPipeError):
            return _unread()
        raise
    except KeyboardInterrupt:
        return _complain("interrupted; finished work is kept", INTERRUPTED)
    except Exception as error:
        return _unexpected(error)


def _unread() -> int:
    """Returns 0: the reader of a pipe, `head` for one, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _unexpected(error: Exception) -> int:
    # typer carries a click of its own since 0.26: its errors are told by their methods.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        message = _one_line(error.format_message())
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "hdlgraph"
        return _complain(f"{message} (see `{command} --help`)" if message else "", error.exit_code)
    if type(error).__name__ == "Abort":
        return _complain("interrupted; finished work is kept", INTERRUPTED)
    if os.environ.get("HDLGRAPH_DEBUG"):
        raise error
    kind = type(error).__name__
    return _complain(
        f"unexpected {kind}: {error}; set HDLGRAPH_DEBUG=1 for the traceback and report it", 1
    )


def _with_help(error: UsageError) -> Sequence[str]:
    """Returns the lines of an error; one of wrong use that names no command names its help."""
    if type(error) is not UsageError or len(error.lines) != 1 or "`hdlgraph" in str(error):
        return error.lines
    return (f"{error} (see `{' '.join(('hdlgraph', *volume().command.split()))} --help`)",)


def _one_line(message: str) -> str:
    """Returns what typer says of a wrong option in one line, without words of its libraries."""
    return " ".join(message.replace("Value error, ", "").split())


def _complain(message: str | Sequence[str], code: int) -> int:
    # Not split at line breaks: a path may hold one, and what follows is no message of ours.
    for line in (message,) if isinstance(message, str) else message:
        if line:
            say(f"hdlgraph: error: {line.strip()}")
    return code


if __name__ == "__main__":
    main()
