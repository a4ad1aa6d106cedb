"""Commands that take a question: search, ask, eval."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve import options
from hdlgraph.serve.output import emit, flow, put


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command()(search)
    app.command()(ask)
    app.command("eval")(evaluate)


def search(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    rewrite: options.Rewrite = None,
    decompose: options.Decompose = None,
    rerank: options.Rerank = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Find the files that answer a question, best first, with the evidence for each."""
    from hdlgraph.project import Project

    project = Project.open(index, settings)
    result = project.search(
        " ".join(question),
        k=k,
        hops=hops,
        roles=role or (),
        rewrite=rewrite,
        decompose=decompose,
        rerank=rerank,
    )
    if as_json:
        emit(result.to_dict())
    else:
        from hdlgraph.serve.render import show_result

        show_result(result)
    return 0


def ask(
    question: options.Words,
    index: options.Index = None,
    k: options.K = None,
    hops: options.Hops = None,
    role: options.Roles = None,
    rewrite: options.Rewrite = None,
    decompose: options.Decompose = None,
    rerank: options.Rerank = None,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Quote the index, whatever the settings say.")
    ] = False,
    model: Annotated[
        bool, typer.Option("--model", help="Let llm.query_model of the settings answer.")
    ] = False,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Answer a question from the repository, each statement with its path:line.

    A language model writes the answer where one is configured; what it cites is checked. Without
    one the answer is made of passages of the best files.
    """
    from hdlgraph.project import Project

    if extractive and model:
        raise UsageError("--extractive and --model exclude each other: give one of them")
    project = Project.open(index, settings)
    writer = "extractive" if extractive else "model" if model else None
    answer = project.ask(
        " ".join(question),
        writer=writer,
        on_text=None if as_json else flow,
        k=k,
        hops=hops,
        roles=role or (),
        rewrite=rewrite,
        decompose=decompose,
        rerank=rerank,
    )
    if as_json:
        emit(answer.to_dict())
    else:
        from hdlgraph.serve.render import show_sources

        flow("\n")
        show_sources(answer)
    return 0


def evaluate(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS.jsonl", help="One judged question a line.")
    ],
    index: options.Index = None,
    field: Annotated[str, typer.Option(help="Key of the question's text.")] = "question",
    systems: Annotated[
        list[str] | None,
        typer.Option(help="Systems to score, comma separated; else the baselines and hdlgraph."),
    ] = None,
    k: Annotated[str, typer.Option("-k", metavar="N,N", help="Cutoffs of recall.")] = "1,5,10",
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="FILES.txt", help="Candidates, one path a line; else all files."),
    ] = None,
    trec: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write TREC runs and qrels here.")
    ] = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Score hdlgraph and baselines on judged questions: recall, MRR, intervals, comparisons."""
    from hdlgraph.eval.report import write_trec
    from hdlgraph.eval.run import KS, evaluate
    from hdlgraph.eval.systems import DEFAULT
    from hdlgraph.project import Project
    from hdlgraph.serve.progress import shown

    names = [name for given in systems or () for name in given.split(",") if name]
    with shown(quiet=as_json) as progress:
        report = evaluate(
            Project.open(index, settings),
            questions,
            systems=names or DEFAULT,
            ks=_numbers(k) or KS,
            corpus=corpus,
            field=field,
            progress=progress,
        )
    if trec is not None:
        write_trec(report, trec)
    if as_json:
        emit(report.to_dict())
    else:
        put(report.to_text())
    return 0


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise UsageError(f"-k {text}: write whole numbers with commas, as in 1,5,10") from error
