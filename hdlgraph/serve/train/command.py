"""The group `train`: embedder, token-encoder, reranker, label, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import give

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder of the models; else INDEX/trained."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of splits and order.")]
Pairs = Annotated[
    Path,
    typer.Argument(metavar="PAIRS.jsonl", help="A question and what answers it in each line."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Train small models on your own questions; they are used only when judged better.",
    )
    for command in (embedder, token_encoder, reranker, label, export):
        group.command()(command)
    app.add_typer(group, name="train")


def embedder(
    pairs: Pairs,
    index: options.Index = None,
    out: Out = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="Learn all weights of the model, not a map (extra `train`)."),
    ] = False,
    seed: Seed = 0,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Learn a map of question vectors from pairs; prints recall before and after."""
    kind = "embedder-full" if full else "embedder"
    return _train(kind, pairs, index, out, seed, settings, as_json)


def token_encoder(
    pairs: Pairs,
    index: options.Index = None,
    out: Out = None,
    seed: Seed = 0,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Learn all weights of the model of token vectors from pairs; prints recall before and after.

    Needs the extra `train`.
    """
    return _train("token-encoder", pairs, index, out, seed, settings, as_json)


def reranker(
    labels: Annotated[
        Path,
        typer.Argument(metavar="LABELS.jsonl", help="Orders of files, or a judged question set."),
    ],
    index: options.Index = None,
    out: Out = None,
    seed: Seed = 0,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Learn an order of the first 20 files from labels; prints recall before and after."""
    return _train("reranker", labels, index, out, seed, settings, as_json)


def _train(
    kind: str,
    examples: Path,
    index: Path | None,
    out: Path | None,
    seed: int,
    settings: Path | None,
    as_json: bool,
) -> int:
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar
    from hdlgraph.train.run import train_model

    with progress_bar(quiet=as_json) as progress:
        found = train_model(Project.open(index, settings), kind, examples, out, seed, progress)
    return give(found, as_json)


def label(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS.jsonl", help='A "question" in each line.')
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="LABELS.jsonl", help="Where the labels go.")
    ] = Path("labels.jsonl"),
    index: options.Index = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell calls, tokens and price; send nothing.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Stop asking before this run costs more."),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop asking before this run takes more tokens."),
    ] = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Let the query model order the first 36 files of each question; records what it was asked."""
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar
    from hdlgraph.train.run import label_questions

    limits: dict[str, Any] = {"max_cost": max_cost, "max_tokens": max_tokens, "dry_run": dry_run}
    with progress_bar(quiet=as_json) as progress:
        found = label_questions(
            Project.open(index, settings), questions, out, progress=progress, **limits
        )
    give(found, as_json)
    return 1 if found.failed or found.stopped else 0


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the data.")],
    index: options.Index = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Write texts, pairs and chats of an index, to train other models on elsewhere."""
    from hdlgraph.project import Project
    from hdlgraph.train.export import export as write

    return give(write(Project.open(index, settings), folder), as_json)
