"""Commands that take a question: search, ask."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, flow
from hdlgraph.serve.cli.volume import volume

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.results import SearchResult


class Kind(StrEnum):
    """What is searched."""

    ALL = "all"
    RTL = "rtl"
    DOC = "doc"
    REGISTER = "register"


class Format(StrEnum):
    """How hits are printed."""

    TEXT = "text"
    JSON = "json"
    VIMGREP = "vimgrep"


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command()(search)
    app.command()(ask)


def search(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    reword: options.Reword = None,
    decompose: options.Decompose = None,
    rerank: options.Rerank = None,
    fold: options.Fold = True,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show scores, evidence and copies too; so does -v."),
    ] = False,
    format: Annotated[
        Format,
        typer.Option(help="text; json, as --json; or vimgrep, path:line:column:text for editors."),
    ] = Format.TEXT,
    cards: Annotated[
        bool,
        typer.Option("--cards", help="With --json: a short card of each file, for a model."),
    ] = False,
    kind: Annotated[
        Kind,
        typer.Option(
            help="rtl: files alone; doc: sections of documents; register: registers; all: files "
            "and beside them passages, where documents are indexed."
        ),
    ] = Kind.ALL,
    passages: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=100, help="Passages wanted (settings: documents.k)."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show the whole text of each passage.")
    ] = False,
    workspace: options.WorkspaceFile = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Find the files that answer a question, best first, with the reasons for each.

    Sections of documents and registers are a list of their own, below the files or above them as
    the question has it.
    """
    from hdlgraph.project import Project

    if as_json and format not in (Format.TEXT, Format.JSON):
        raise UsageError(f"--json and --format {format} exclude each other: give one of them")
    form = Format.JSON if as_json else format
    if cards and form is not Format.JSON:
        raise UsageError("--cards: needs --json; the text without it is as short already")
    text, verbose = " ".join(question), explain or volume().verbose
    wanted: dict[str, Any] = {"k": k, "hops": hops, "roles": role or (), "reword": reword}
    wanted |= {"decompose": decompose, "rerank": rerank, "fold": fold, "kind": kind.value}
    wanted |= {"passages": passages, "full": full}
    if workspace is not None:
        from hdlgraph.serve.workspace import ask as several

        found = several.opened(workspace, index, settings)
        return several.search(found, text, form.value, cards, verbose, **wanted)
    project = Project.open(index, settings)
    volume().root = project.root
    volume().mark("open")
    result = project.search(text, **wanted)
    volume().mark("answer")
    only = kind in (Kind.DOC, Kind.REGISTER)
    if form is Format.TEXT:
        from hdlgraph.serve.documents.text import show_files_heading, show_passages

        first = result.routing is not None and result.routing.first == "passages"
        if first:
            show_passages(result.passages, full, only, above=True)
            show_files_heading()
        _show(project, result, form, cards, verbose, only)
        if not first:
            show_passages(result.passages, full, only)
    else:
        _show(project, result, form, cards, verbose, only)
    return 0


def _show(
    project: Project, result: SearchResult, form: Format, cards: bool, explain: bool, alone: bool
) -> None:
    if cards:
        from hdlgraph.query.result.cards import cards_of

        emit(cards_of(result))
    elif form is Format.JSON:
        emit(result.to_dict())
    elif form is Format.VIMGREP:
        from hdlgraph.serve.cli.text.vimgrep import show_matches

        show_matches(result, project.root, project.source_text)
    else:
        from hdlgraph.serve.cli.text.hits import show_result

        show_result(result, explain, alone)


def ask(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    reword: options.Reword = None,
    decompose: options.Decompose = None,
    rerank: options.Rerank = None,
    fold: options.Fold = True,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Quote the index, whatever the settings say.")
    ] = False,
    model: Annotated[
        bool, typer.Option("--model", help="Let llm.query_model of the settings answer.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="Print all lines of a quoted answer.")
    ] = False,
    workspace: options.WorkspaceFile = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Answer a question from the repository, each statement with its path:line.

    A language model writes the answer where one is configured; what it cites is checked. Without
    one the answer is made of passages of the best files; on a terminal of their most telling
    lines, in a pipe of more of them, with --whole of all.
    """
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.graph import is_cut
    from hdlgraph.serve.cli.progress import once

    if extractive and model:
        raise UsageError("--extractive and --model exclude each other: give one of them")
    text, writer = " ".join(question), "extractive" if extractive else "model" if model else None
    wanted: dict[str, Any] = {"k": k, "hops": hops, "roles": role or (), "reword": reword}
    wanted |= {"decompose": decompose, "rerank": rerank, "fold": fold, "writer": writer}
    if workspace is not None:
        from hdlgraph.serve.workspace import ask as several

        return several.ask(several.opened(workspace, index, settings), text, as_json, **wanted)
    project = Project.open(index, settings)
    volume().root = project.root
    is_quoted = extractive or project.settings.llm.provider == "none"
    is_short = is_quoted and not whole
    answer = project.ask(
        text,
        on_text=None if as_json or is_short else flow,
        progress=once("building the overview of the design, which takes some seconds"),
        **wanted,
    )
    from hdlgraph.serve.cli.text.answers import bounded, shortened

    if is_short:
        more = "--whole" if is_cut(as_json) else "`hdlgraph ask --whole`"
        answer = (shortened if is_cut(as_json) else bounded)(answer, more)
    if as_json:
        emit(answer.to_dict())
    else:
        from hdlgraph.serve.cli.text.hits import show_sources

        if is_short:
            flow(answer.text)
        flow("\n")
        show_sources(answer)
    return 0
