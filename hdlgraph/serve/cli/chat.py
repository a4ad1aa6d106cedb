"""The command `chat`: questions and follow-ups from the keyboard or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from hdlgraph.errors import HdlgraphError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.graph import is_cut
from hdlgraph.serve.cli.output import emit, flow, say
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from hdlgraph.query.answer.chat.conversation import Conversation

PROMPT = "> "
HELP = (
    "/whole shows all of the last answer, /sources the files found for it, /reset forgets what "
    "was said, /quit or exit leaves"
)
LEAVE = frozenset({"/quit", "/exit", "/q", "quit", "exit"})
"""Lines that end a conversation."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(chat)


def chat(
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    reword: options.Reword = None,
    decompose: options.Decompose = None,
    rerank: options.Rerank = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Talk about the repository: follow-ups such as "who instantiates it?" are understood.

    Reads one question a line, also from a pipe. On a terminal a quoted answer is cut to its most
    telling lines, and /whole shows all of the last one. /sources shows the files found for the
    last question with their evidence, /reset forgets what was said, /quit, quit, exit or the end
    of the input leaves. --json prints one object a line.
    """
    from hdlgraph.project import Project

    project = Project.open(index, settings)
    volume().root = project.root
    talk = project.chat(
        k=k,
        hops=hops,
        roles=role or (),
        reword=reword,
        decompose=decompose,
        rerank=rerank,
    )
    typed = sys.stdin.isatty()
    is_short = is_cut(as_json) and project.settings.llm.provider == "none"
    if typed and not as_json:
        say(f"hdlgraph: ask a question; {HELP}")
    failed = 0
    for line in _typed() if typed else _piped():
        if line.lower() in LEAVE:
            break
        failed += not _answered(talk, line, as_json, typed, is_short)
    return 0 if typed else min(failed, 1)


def _typed() -> Iterator[str]:
    """Yields the lines of a terminal until its end; Ctrl-C drops the line begun."""
    with suppress(ImportError):
        import readline  # noqa: F401  (gives input() history and editing)
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            sys.stdout.write("\n")
            return
        except KeyboardInterrupt:
            say("")
            say("hdlgraph: /quit or Ctrl-D leaves")
            continue
        if line:
            yield line


def _piped() -> Iterator[str]:
    for line in sys.stdin:
        if line.strip():
            yield line.strip()


def _answered(talk: Conversation, line: str, as_json: bool, typed: bool, is_short: bool) -> bool:
    """Treats one line; returns False when its question could not be answered."""
    if line.startswith("/"):
        return _command(talk, line)
    try:
        _show(talk, line, as_json, is_short)
    except HdlgraphError as error:
        for part in str(error).splitlines():
            say(f"hdlgraph: error: {part.strip()}")
        return False
    except KeyboardInterrupt:
        if not typed:
            raise
        say("")
        say("hdlgraph: interrupted; the conversation goes on")
        return False
    return True


def _command(talk: Conversation, line: str) -> bool:
    from hdlgraph.serve.cli.text.hits import show_result

    if line == "/reset":
        talk.reset()
        say("hdlgraph: forgotten; the next question begins anew")
    elif line in ("/sources", "/whole"):
        if not talk.turns:
            say("hdlgraph: nothing was asked yet")
        elif line == "/sources":
            show_result(talk.turns[-1].answer.result)
        else:
            flow(f"{talk.turns[-1].answer.text}\n")
    elif line == "/help":
        say(f"hdlgraph: {HELP}")
    else:
        say(f"hdlgraph: error: {line}: unknown; {HELP}")
        return False
    return True


def _show(talk: Conversation, line: str, as_json: bool, is_short: bool) -> None:
    if as_json:
        data = {**talk.ask(line).to_dict(), "typed": line}
        emit(data, indent=None)
        sys.stdout.flush()
        return
    from hdlgraph.serve.cli.text.answers import shortened
    from hdlgraph.serve.cli.text.hits import show_sources

    if is_short:
        answer = shortened(talk.ask(line), "/whole")
        flow(answer.text)
    else:
        answer = talk.ask(line, flow)
    flow("\n")
    show_sources(answer)
    flow("\n")
