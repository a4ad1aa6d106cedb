"""The command `demo`: a real RISC-V core from PyPI, indexed, and three questions about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, say
from hdlgraph.serve.cli.volume import volume

CORE = "ibex"
QUESTIONS = (
    "what inserts dummy instructions to hide the timing of a program?",
    "which unit splits a misaligned load into two bus accesses?",
    "where are nested interrupts and exceptions prioritised?",
)
HITS = 3


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(demo)


def demo(
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the core and its index are kept.")
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Take the ibex RISC-V core from PyPI, index it, and ask three questions about it."""
    from hdlgraph.eval.sets.corpora import cache_folder, materialise
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar

    folder = cache or cache_folder()
    say(f"hdlgraph: taking the {CORE} core from PyPI into {folder} (once)")
    project = Project(materialise(CORE, folder), folder / "demo")
    with progress_bar(quiet=as_json) as progress:
        report = project.index(progress=progress, graphrag="never")
    results = [project.search(question, k=HITS, rerank=False) for question in QUESTIONS]
    if as_json:
        index = report.to_dict()
        emit({"schema": 1, "index": index, "searches": [found.to_dict() for found in results]})
        return 1 if report.failed or report.problems else 0
    from rich.text import Text

    from hdlgraph.serve.cli.output import put
    from hdlgraph.serve.cli.text.hits import show_result
    from hdlgraph.serve.cli.text.index import show_report

    volume().root = project.root
    show_report(report)
    for result in results:
        put()
        put(Text(f"$ hdlgraph search '{result.question}' -k {HITS}", style="bold"))
        show_result(result)
    put()
    say(f"hdlgraph: ask your own: hdlgraph ask QUESTION --index {project.folder}")
    return 1 if report.failed or report.problems else 0
