"""The commands `eval sets`, `eval flows` and `eval answers`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, give, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hdlgraph.eval.answers.judge import Judged
    from hdlgraph.eval.answers.read import Given
    from hdlgraph.eval.flows.compress import Compressor

Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.json", help="Also write the JSON here.")
]
Writer = Annotated[
    str,
    typer.Option(help="Who writes answers: extractive, model, or auto: a model if there is one."),
]
Answers = Annotated[
    Path | None,
    typer.Option(metavar="FILE.jsonl", help="Write the answers here, for `eval answers`."),
]


def sets(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME|FILE.jsonl", help="Sets to run; else they are listed."),
    ] = None,
    clone: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Your clone of RAG-EDA, for ord-qa.")
    ] = None,
    index: options.Index = None,
    work: Annotated[
        Path, typer.Option(metavar="DIR", help="Where converted documents and indexes go.")
    ] = Path("hdlgraph-eval"),
    no_embeddings: Annotated[
        bool, typer.Option("--no-embeddings", help="Make indexes by words alone.")
    ] = False,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Also BM25, vectors, RRF and MMR.")
    ] = False,
    writer: Writer = "auto",
    answers: Answers = None,
    out: Out = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """List and run question sets over documents: recall of passages, ROUGE and BLEU of answers."""
    from hdlgraph.eval.documents.run_sets import run_sets
    from hdlgraph.eval.documents.sets import Place, listing
    from hdlgraph.serve.cli.progress import progress_bar

    if not names:
        return _list(listing(), as_json)
    place = Place(work, clone, index, settings, not no_embeddings)
    with progress_bar(quiet=as_json) as progress:
        found = run_sets(names, place, writer, baselines, progress)
    _write(answers, found.answers)
    return give(found, as_json, out)


def flows(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS.jsonl", help="Questions over documents.")
    ],
    index: options.Index = None,
    flow: Annotated[
        list[str] | None, typer.Option("--flow", help="A flow to run; repeatable; else all.")
    ] = None,
    writer: Writer = "auto",
    k: Annotated[int, typer.Option("-k", help="Passages that an answer is made from.")] = 5,
    limit: Annotated[int, typer.Option(help="Only the first so many questions; 0: all.")] = 0,
    compressor: Annotated[
        str, typer.Option(help="Of the flow compression: extractive or llmlingua.")
    ] = "extractive",
    compressor_model: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of LLMLingua's model.")
    ] = None,
    answers: Answers = None,
    out: Out = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Compare flows of retrieval and generation, all with the same writer of answers."""
    from hdlgraph.eval.flows.run import Wanted, run_flows
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar

    shorter = _compressor(compressor, compressor_model)
    if limit < 0:
        raise UsageError(f"--limit {limit}: give a number that is not negative")
    wanted = Wanted(flow or (), writer, k, limit, shorter)
    with progress_bar(quiet=as_json) as progress:
        found = run_flows(Project.open(index, settings), questions, wanted, progress)
    _write(answers, found.answers)
    return give(found, as_json, out)


def answers(
    file: Annotated[Path, typer.Argument(metavar="ANSWERS.jsonl", help="An answer a line.")],
    questions: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Questions whose answers are the references."),
    ] = None,
    index: options.Index = None,
    citations: Annotated[
        bool, typer.Option("--citations", help="Look citations up in the index.")
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Let the query model judge each answer.")
    ] = False,
    runs: Annotated[int, typer.Option(help="How often each answer is judged.")] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where paid judgements are kept, for a run that goes on."),
    ] = None,
    out: Out = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Score answers: ROUGE, BLEU, citations, and with --judge the verdicts of a model."""
    from hdlgraph.eval.answers.read import read_answers
    from hdlgraph.eval.answers.score import report

    given = read_answers(file, questions)
    project = None
    if citations or index is not None:
        from hdlgraph.project import Project

        project = Project.open(index, settings)
    judged = _judged(given, runs, keep, settings, as_json) if judge else None
    return give(report(file.as_posix(), given, project, judged), as_json, out)


def _judged(
    given: list[Given], runs: int, keep: Path | None, settings: Path | None, quiet: bool
) -> Judged:
    from hdlgraph.eval.answers.judge import judge, open_judge
    from hdlgraph.serve.cli.progress import progress_bar

    session, llm = open_judge(settings, keep)
    with progress_bar(quiet=quiet) as progress:
        return judge(
            session, llm, given, runs, progress=lambda done, of: progress("judge", done, of)
        )


def _compressor(name: str, model: Path | None) -> Compressor | None:
    from hdlgraph.eval.flows.compress import llmlingua

    if name == "extractive":
        return None
    if name != "llmlingua":
        raise UsageError(f"--compressor {name}: unknown; known are extractive, llmlingua")
    if model is None:
        raise UsageError("--compressor llmlingua: name the folder of its model: --compressor-model")
    return llmlingua(model)


def _list(found: list[dict[str, str]], as_json: bool) -> int:
    if as_json:
        emit({"schema": 1, "sets": found})
        return 0
    width = max(len(one["name"]) for one in found)
    for one in found:
        needs = f" (needs {one['needs']})" if one["needs"] else ""
        put(f"{one['name'].ljust(width)}  {one['about']}{needs}")
    return 0


def _write(path: Path | None, records: Iterable[Mapping[str, Any]]) -> None:
    if path is None:
        return
    from hdlgraph.eval.scores.run_json import write_lines

    write_lines(path, records)
