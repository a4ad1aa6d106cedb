"""Commands that make an index: init, index."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say

if TYPE_CHECKING:
    from hdlgraph.project import Project


class DataType(StrEnum):
    """Text of GraphRAG's documents."""

    EXPLANATIONS = "explanations"
    CODE = "code"


class Tables(StrEnum):
    """When GraphRAG's tables are built."""

    ON_DEMAND = "on-demand"
    ALWAYS = "always"
    NEVER = "never"


class Writer(StrEnum):
    """Who writes the explanations."""

    DETERMINISTIC = "deterministic"
    MODEL = "model"


class Extraction(StrEnum):
    """What extracts the graph."""

    AST = "ast"
    LLM = "llm"
    BOTH = "both"


class EngineName(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    RAY = "ray"


MODEL_PANEL = "Language model (nothing is sent without one of these or settings)"

CLUSTER_PANEL = "Cluster (docs/cluster.md)"


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (init, index):
        app.command()(command)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR")] = Path(),
    everything: Annotated[
        bool,
        typer.Option("--all", help="Write every key, GraphRAG's sections and the prompts as well."),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Write a short, commented settings.yaml; nothing is overwritten."""
    from hdlgraph.project import Project

    done = Project(folder).init(everything)
    if as_json:
        emit({"schema": 1, **done})
        return 0
    for name in done["written"]:
        say(f"wrote {folder / name}")
    for name in done["kept"]:
        say(f"kept {folder / name} (it exists)")
    for note in done["notes"]:
        say(f"hdlgraph: note: {note}")
    return 0


def index(
    repo: options.Repo = Path(),
    index_dir: options.OwnIndex = None,
    filelist: options.Filelist = None,
    data_type: Annotated[
        DataType | None, typer.Option(help="Text of GraphRAG's documents.")
    ] = None,
    jobs: options.Jobs = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Only these files; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Not these files; repeatable.")
    ] = None,
    embeddings: Annotated[
        bool | None,
        typer.Option(
            "--embeddings/--no-embeddings",
            help="Embed texts; without, search goes by words and graph only.",
            show_default=False,
        ),
    ] = None,
    graphrag: Annotated[
        Tables | None,
        typer.Option(help="When to build GraphRAG's tables: communities, reports, vectors."),
    ] = None,
    reset_options: Annotated[
        bool,
        typer.Option(
            "--reset-options",
            help="Forget the options of earlier runs: -f, --include, --exclude, --data-type, "
            "--no-embeddings and --graphrag are remembered otherwise.",
        ),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            help="Ignore what earlier runs left. What models answered stays on disk: the same "
            "calls cost nothing again, and the next run without this uses their words again."
        ),
    ] = False,
    explain: Annotated[
        Writer | None,
        typer.Option(
            rich_help_panel=MODEL_PANEL,
            help="Who explains files that have no explanation yet; `deterministic` also leaves "
            "out what a model wrote before.",
        ),
    ] = None,
    neighbours: Annotated[
        bool | None,
        typer.Option(
            rich_help_panel=MODEL_PANEL,
            help="Let the model rewrite each explanation with those of its graph neighbours in "
            "sight (takes --explain model).",
        ),
    ] = None,
    extract: Annotated[
        Extraction | None,
        typer.Option(
            rich_help_panel=MODEL_PANEL,
            help="Who draws the graph: the parsers (ast), with a model's concepts added (both), "
            "or GraphRAG's own extraction for comparison (llm).",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            rich_help_panel=MODEL_PANEL,
            help="Tell calls, tokens and price; send and write nothing.",
        ),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MODEL_PANEL,
            metavar="USD",
            help="Stop asking before this run costs more; a later run goes on.",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=MODEL_PANEL,
            metavar="N",
            help="Stop asking before this run takes more tokens, input and output together.",
        ),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            rich_help_panel=MODEL_PANEL,
            help="Send the calls through the Batch API: half the price, within a day; may be "
            "interrupted and run again.",
        ),
    ] = False,
    elaborate: Annotated[
        bool | None,
        typer.Option(
            "--elaborate/--no-elaborate",
            help="Elaborate the largest top afterwards (settings: elaborate.enabled).",
            show_default=False,
        ),
    ] = None,
    documents: Annotated[
        bool | None,
        typer.Option(
            "--documents/--no-documents",
            help="Index manuals and other documents of the repository too; once done they are "
            "kept in step (settings: documents.enabled).",
            show_default=False,
        ),
    ] = None,
    docs: Annotated[
        list[Path] | None,
        typer.Option(
            "--docs",
            metavar="DIR",
            help="Index the documents of this folder too, wherever it lies; repeatable.",
        ),
    ] = None,
    engine: Annotated[
        EngineName,
        typer.Option(
            rich_help_panel=CLUSTER_PANEL,
            help="Work in processes of this machine, or on a Ray cluster: the same index.",
        ),
    ] = EngineName.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=CLUSTER_PANEL,
            metavar="HOST:PORT",
            help="The cluster, which is sent the sources; else RAY_ADDRESS, else one is started "
            "on this machine for this run.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Write nothing: exit with 0 where the index fits the repository, with 3 where "
            "it is stale, and name the files that differ.",
        ),
    ] = False,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Index a repository, or bring its index up to date with it."""
    from hdlgraph.project import Project

    project = Project(repo, index_dir, settings)
    what: dict[str, Any] = {
        "filelist": filelist,
        "include": include or (),
        "exclude": exclude or (),
        "data_type": data_type.value if data_type else None,
        "jobs": jobs,
        "reset_options": reset_options,
        "fresh": fresh,
        "explain": explain.value if explain else None,
        "neighbours": neighbours,
        "extract": extract.value if extract else None,
        "batch": batch,
    }
    if check:
        from hdlgraph.serve.ci.check import check_index

        return check_index(project, {**what, "embeddings": embeddings}, as_json)
    if dry_run:
        return _estimate(project, what, as_json)
    more: dict[str, Any] = {"max_cost": max_cost, "max_tokens": max_tokens, "elaborate": elaborate}
    more |= {"documents": documents, "docs": docs or ()}
    more |= {"engine": engine.value, "address": address}
    tables = graphrag.value if graphrag else None
    return _index(project, {**what, **more, "embeddings": embeddings, "graphrag": tables}, as_json)


def _index(project: Project, what: dict[str, Any], as_json: bool) -> int:
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        report = project.index(**what, progress=progress)
    if as_json:
        emit(report.to_dict())
    else:
        from hdlgraph.serve.cli.text.index import show_report

        show_report(report)
    unread = report.documents is not None and report.documents.failed
    weak = report.failed or report.problems or report.models.fallbacks or unread
    return 1 if weak else 0


def _estimate(project: Project, what: dict[str, Any], as_json: bool) -> int:
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        found = project.estimate(**what, progress=progress)
    if as_json:
        emit(found.to_dict())
    else:
        from hdlgraph.serve.cli.text.index import show_estimate

        show_estimate(found)
    return 0
