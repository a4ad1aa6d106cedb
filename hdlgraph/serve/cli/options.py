"""Options that several commands share, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Index = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        help="Index folder, a repository that has one, or s3://BUCKET/PATH; else the nearest "
        ".hdlgraph upwards.",
    ),
]
WorkspaceFile = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="FILE",
        help="Ask all repositories that this YAML file names (see `hdlgraph workspace`).",
    ),
]
Repo = Annotated[Path, typer.Argument(metavar="REPO", help="Folder of the design.")]
OwnIndex = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        help="Index folder, or s3://BUCKET/PATH to publish it there; else REPO/.hdlgraph.",
    ),
]
Filelist = Annotated[
    Path | None,
    typer.Option("-f", "--filelist", metavar="LIST", help="A .f file; else all files."),
]
Jobs = Annotated[
    int | None,
    typer.Option("-j", "--jobs", min=1, max=1024, metavar="N", help="Processes that read files."),
]
SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        envvar="HDLGRAPH_SETTINGS",
        metavar="FILE",
        help="Settings file; else REPO/settings.yaml.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object (docs/json.md) to stdout.")
]
Words = Annotated[
    list[str], typer.Argument(metavar="QUESTION", help="Your question, quoted or not.")
]
K = Annotated[int | None, typer.Option("-k", metavar="N", help="Files wanted (settings: 10).")]
Hops = Annotated[
    int | None,
    typer.Option("--hops", metavar="0|1|2", help="Edges walked from the first matches."),
]
Reword = Annotated[
    bool | None,
    typer.Option(
        "--reword/--no-reword",
        help="Let the model also search the question in other words (settings: ask.reword).",
        show_default=False,
    ),
]
Decompose = Annotated[
    bool | None,
    typer.Option(
        "--decompose/--no-decompose",
        help="Let the model also search the question's parts: module, block, signal.",
        show_default=False,
    ),
]
Rerank = Annotated[
    bool | None,
    typer.Option(
        "--rerank/--no-rerank",
        help="Let the model reorder the best files: the default where one is configured"
        " (settings: ask.rerank).",
        show_default=False,
    ),
]
Fold = Annotated[
    bool,
    typer.Option(
        "--fold/--no-fold",
        help="Show files that are nearly the same as one hit.",
        show_default=False,
    ),
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="Only files of this role: rtl, testbench, formal, package, include, generated,"
        " vendored; may be given several times.",
    ),
]
