"""One self-contained HTML page of evaluation runs: nothing is fetched, everything is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from hdlgraph.errors import UsageError
from hdlgraph.eval.page import questions, tables
from hdlgraph.eval.page.markup import Markup, el, grid, join, share
from hdlgraph.eval.page.pool import pooled_section
from hdlgraph.eval.scores.run_file import read_runs
from hdlgraph.eval.scores.run_records import RunFile


def write_page(runs: Sequence[Path], out: Path) -> Path:
    """Writes the page of run files (schema 2) and returns its path.

    Args:
        runs: what `hdlgraph eval run --json` wrote; the page keeps their order.
        out: the HTML file; its folder is made when missing.

    Raises:
        UsageError: a file that is no run file, two runs of one name, or a place that cannot be
            written; names the file and the value.
    """
    html = to_html(read_runs(runs))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {out}: {error.strerror}; name another file with --out"
        ) from error
    return out


def to_html(runs: Sequence[RunFile]) -> str:
    """Returns the page of runs; the same runs give the same bytes."""
    style, script = (
        files("hdlgraph.eval.page").joinpath(name).read_text("utf-8")
        for name in ("page.css", "page.js")
    )
    # Only this script may run: a second guard should an escape ever be missing.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", "hdlgraph: retrieval on RTL, measured"),
        el("style", Markup(style)),
    )
    body = el(
        "body",
        _head(runs),
        el("main", pooled_section(runs), *(_section(run, i) for i, run in enumerate(runs))),
        el("script", Markup(script)),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _head(runs: Sequence[RunFile]) -> Markup:
    rows = []
    for number, run in enumerate(runs):
        best = run.best_baseline
        key = f"recall@{min(run.ks)}"
        rows.append(
            [
                el("a", run.name, href=f"#run{number}"),
                run.corpus or "–",
                f"{run.n_questions:,}",
                f"{run.n_files:,}{' (list)' if run.restricted else ''}",
                run.explanations or "–",
                share(run.leader.mean(key)),
                f"{share(best.mean(key))} ({best.name})" if best else "–",
                run.date or "–",
                _machine(run),
            ]
        )
    leaders = "/".join(dict.fromkeys(run.leader.name for run in runs))
    columns = ["run", "corpus", "questions", "files", "explanations", f"{leaders} @1"]
    table = grid("The runs", [*columns, "best baseline @1", "date", "machine"], rows)
    note = (
        "File-level retrieval: a design question in plain words, and the files that answer it. "
        "recall@k is the share of the right files among the first k, lenient counts files that "
        "are as good. Intervals are 95\u00a0% bootstrap intervals over questions, p-values "
        "two-sided paired bootstrap. With so few questions a difference of one to three is noise."
    )
    return el("header", el("h1", "Retrieval on RTL, measured"), el("p", note), table)


def _section(run: RunFile, number: int) -> Markup:
    charts = el("div", tables.success_curves(run), tables.kind_bars(run), class_="charts")
    parts: dict[str, list[Markup | None]] = {
        "Measures": [tables.main_table(run), charts],
        "Kinds and roles": [
            tables.group_table(run, "Per kind of question", "by_kind"),
            tables.group_table(run, "Per role of the right file", "by_role"),
        ],
        "Units and neighbourhoods": [tables.unit_table(run)],
        "Wins and losses": [tables.pair_table(run), questions.losses(run, number)],
        "Ablations": [tables.ablation_table(run)],
        "Cost": [tables.cost_table(run)],
        "Every question": [questions.question_table(run, number)],
        "Evidence": [questions.evidence(run, number)],
    }
    filled = {name: join(found) for name, found in parts.items() if any(found)}
    ids = {name: f"run{number}-part{i}" for i, name in enumerate(filled)}
    links = [el("a", name, href=f"#{ids[name]}") for name in filled]
    return el(
        "section",
        el("h2", run.name, id=f"run{number}"),
        el("p", _about(run)),
        tables.headline(run),
        *(el("p", f"Not run: {skipped.name}: {skipped.why}") for skipped in run.skipped),
        el("nav", join(links, " · "), aria_label=f"Parts of {run.name}"),
        *(join([el("h3", name, id=ids[name]), part]) for name, part in filled.items()),
    )


def _machine(run: RunFile) -> str:
    around = {"cpus": ("", " CPUs"), "memory_gb": ("", " GB"), "python": ("Python ", "")}
    parts = []
    for key, value in run.machine.items():
        before, after = around.get(key, (f"{key} ", ""))
        parts += [f"{before}{value}{after}"] if value is not None else []
    return ", ".join(parts) or "–"


def _about(run: RunFile) -> str:
    scope = "named by a list" if run.restricted else "the whole corpus"
    return (
        f"{run.n_questions} questions ({run.questions}, field {run.field}) over {run.n_files:,} "
        f"files, {scope}; ranks are kept to {run.depth}."
    )
