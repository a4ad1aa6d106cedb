"""The group `eval`; without the name of a command of it, it is `run`."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options
from hdlgraph.serve.cli.output import emit, give, put, say
from hdlgraph.serve.eval.commands import answers, flows, sets

if TYPE_CHECKING:
    from collections.abc import Sequence


class RunByDefault(TyperGroup):
    """A group whose arguments are those of `run` when they begin with no command of it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts `run` before arguments that name no command and ask for no help."""
        if not args or not (args[0] in ctx.help_option_names or self._named(args[0])):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def _named(self, word: str) -> bool:
        """Returns whether a word is a command, or a misspelt one that is no file either."""
        if word in self.commands:
            return True
        near = difflib.get_close_matches(word, self.commands, n=1, cutoff=0.7)
        return bool(near) and not Path(word).exists()


Systems = Annotated[
    list[str] | None,
    typer.Option(help="Systems to score, comma separated; else the baselines and hdlgraph."),
]
Questions = Annotated[
    Path, typer.Argument(metavar="QUESTIONS.jsonl", help="One judged question a line.")
]
Full = Annotated[bool, typer.Option("--full", help="All measures, and all questions that failed.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.json", help="Also write the JSON here.")
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    group = typer.Typer(
        cls=RunByDefault,
        help="Score hdlgraph and baselines on judged questions.\n\n"
        "`hdlgraph eval QUESTIONS.jsonl ...` is short for `hdlgraph eval run`.",
    )
    for command in (run, kinds, suite, corpora, table1, report, sets, flows, answers):
        group.command()(command)
    app.add_typer(group, name="eval")


def run(
    questions: Questions,
    index: options.Index = None,
    field: Annotated[str, typer.Option(help="Key of the question's text.")] = "question",
    systems: Systems = None,
    k: Annotated[str, typer.Option("-k", metavar="N,N", help="Cutoffs of recall.")] = "1,5,10",
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="FILES.txt", help="Candidates, one path a line; else all files."),
    ] = None,
    trec: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write TREC runs and qrels here.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="A process for each system: measures its memory.")
    ] = False,
    full: Full = False,
    out: Out = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Score hdlgraph and baselines on judged questions: recall, MRR, intervals, comparisons."""
    from hdlgraph.eval.protocols.run import KS, evaluate
    from hdlgraph.eval.scores.trec import write_trec
    from hdlgraph.eval.systems.registry import DEFAULT
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        found = evaluate(
            Project.open(index, settings),
            questions,
            systems=_names(systems) or DEFAULT,
            ks=_numbers(k) or KS,
            corpus=corpus,
            field=field,
            progress=progress,
            isolate=isolate,
        )
    if trec is not None:
        write_trec(found, trec)
    return give(found, as_json, out, lambda: found.brief_text(full))


def kinds(
    questions: Annotated[
        list[Path] | None,
        typer.Argument(metavar="QUESTIONS.jsonl", help="Sets; else eval/data/kinds/asked."),
    ] = None,
    index: Annotated[
        list[str] | None,
        typer.Option(
            "--index", metavar="NAME=DIR", help="Index folder of the set NAME.jsonl; repeatable."
        ),
    ] = None,
    indexes: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with an index folder NAME for each set."),
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="SYSTEM", help="The plain method to compare with.")
    ] = "minmax-fields",
    full: Full = False,
    out: Out = None,
    as_json: options.Json = False,
) -> int:
    """Compare with the strongest plain method by repository and kind of question, with causes."""
    from hdlgraph.eval.protocols.kinds import kinds as protocol
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        found = protocol(
            questions or (),
            _folders(index or ()),
            folder=indexes,
            against=against,
            progress=progress,
        )
    return give(found, as_json, out, lambda: found.to_text(full))


def suite(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Runs; else all of them.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where results go.")] = Path(
        "hdlgraph-eval"
    ),
    systems: Systems = None,
    index: Annotated[
        list[str] | None,
        typer.Option(
            "--index", metavar="NAME=DIR", help="Index folder of a run, used as it is; repeatable."
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Run the whole benchmark: corpora, indexes, systems; JSON, TREC files and report.html."""
    from hdlgraph.eval.protocols.suite import run_suite
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        found = run_suite(
            names or (),
            out,
            _names(systems) or None,
            indexes=_folders(index or ()),
            progress=progress,
        )
    if not as_json:
        say(f"hdlgraph: wrote {found.page}")
    return give(found, as_json)


def corpora(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Corpora; else the suite's.")
    ] = None,
    blank_comments: Annotated[
        bool, typer.Option("--blank-comments", help="Copies in which every comment is blanks.")
    ] = False,
    blank_headers: Annotated[
        bool, typer.Option("--blank-headers", help="Copies with the comments of heads blanked.")
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Download corpora (once) and tell where they are, where they come from, under which terms."""
    from hdlgraph.eval.sets.blanked import describe_blanked
    from hdlgraph.eval.sets.corpora import describe

    if blank_comments and blank_headers:
        raise UsageError("--blank-comments and --blank-headers: all comments hold heads; give one")
    what = "comments" if blank_comments else "headers" if blank_headers else ""
    found = describe_blanked(names or (), what) if what else describe(names or ())
    if as_json:
        emit({"schema": 1, "corpora": found})
        return 0
    for corpus in found:
        note = f", {what} blanked, Verilog alone" if what else ""
        put(f"{corpus['name']}  {corpus['folder']}  ({corpus['files']} files{note})")
        for package in corpus["packages"]:
            put(f"  {package['package']}=={package['version']}  {package['licence']}")
            put(f"    {package['upstream']} {package['commit']}")
    return 0


def table1(
    questions: Questions,
    index: options.Index = None,
    field: Annotated[str, typer.Option(help="Key of the question's text.")] = "question",
    systems: Systems = None,
    samples: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write the samples' paths here.")
    ] = None,
    out: Out = None,
    settings: options.SettingsFile = None,
    as_json: options.Json = False,
) -> int:
    """Repeat the paper's protocol: all files, and samples of fixed distractors a question."""
    from hdlgraph.eval.protocols.table1 import SYSTEMS
    from hdlgraph.eval.protocols.table1 import table1 as protocol
    from hdlgraph.project import Project
    from hdlgraph.serve.cli.progress import progress_bar

    with progress_bar(quiet=as_json) as progress:
        found = protocol(
            Project.open(index, settings),
            questions,
            _names(systems) or SYSTEMS,
            field=field,
            samples=samples,
            progress=progress,
        )
    return give(found, as_json, out)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN.json...", help="Run files, as eval writes them.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("report.html"),
    as_json: options.Json = False,
) -> int:
    """Write one self-contained HTML page about run files."""
    from hdlgraph.eval.page.page import write_page

    page = write_page(runs, out)
    if as_json:
        emit({"schema": 1, "page": page.as_posix()})
    else:
        say(f"hdlgraph: wrote {page}")
    return 0


def _names(given: Sequence[str] | None) -> list[str]:
    return [name for part in given or () for name in part.split(",") if name]


def _folders(given: Sequence[str]) -> dict[str, Path]:
    out: dict[str, Path] = {}
    for part in given:
        name, equals, folder = part.partition("=")
        if not (name and equals and folder):
            raise UsageError(f"--index {part}: write NAME=DIR, the name of a run and its index")
        out[name] = Path(folder)
    return out


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise UsageError(f"-k {text}: write whole numbers with commas, as in 1,5,10") from error
