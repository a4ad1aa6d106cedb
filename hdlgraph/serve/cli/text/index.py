"""Reports about a run for people: what it did, or what it would cost."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from hdlgraph.results import Estimate, IndexReport, ModelReport
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.values import columns, counted, syntax_errors
from hdlgraph.serve.documents.text import show_documents

MAX_SHOWN = 10
"""Paths listed of each kind of change."""


def show_report(report: IndexReport) -> None:
    """Prints what an index run did; files that could not be read come last, on stderr."""
    moved = {
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "renamed": tuple(f"{old} -> {new}" for old, new in report.renamed),
    }
    parts = [f"{len(paths)} {name}" for name, paths in moved.items() if paths]
    parts.append(f"{report.unchanged} unchanged")
    put(Text(f"{report.files} files: {', '.join(parts)}", style="bold"))
    if report.file_source:
        put(f"files from {report.file_source}")
    put(
        f"{report.units} units, {report.nodes} nodes, {report.edges} edges, "
        f"{report.unresolved} unresolved names, {report.surfaces} texts "
        f"({report.embedded} embedded now)"
    )
    _agreement(report)
    for name, paths in moved.items():
        if paths and report.unchanged:
            _listing(name, paths)
    if report.syntax_errors:
        put(Text(syntax_errors(report.syntax_errors, report.syntax_error_files), style="yellow"))
    if report.degraded:
        _listing("read in part", report.degraded)
    _models(report)
    if report.graphrag:
        put(f"GraphRAG tables: {report.graphrag}")
    seconds = report.stages[-1].seconds
    stages = ", ".join(
        f"{stage.stage} {stage.seconds:.1f}"
        for stage in report.stages[:-1]
        if stage.seconds >= 0.05
    )
    memory = f", {report.peak_memory_mb:.0f} MiB at most" if report.peak_memory_mb else ""
    put(Text(f"{seconds:.1f} s{stages and f' ({stages})'}{memory}", style="dim"))
    show_documents(report.documents)
    _print_notes(report)


def _print_notes(report: IndexReport) -> None:
    """Prints notes, and what failed."""
    for note in report.notes:
        say(f"hdlgraph: note: {note}")
    for line in (*report.failed, *report.problems):
        say(f"hdlgraph: error: {line}")
    _fallbacks(report.models)


def _agreement(report: IndexReport) -> None:
    """Prints who read the files, and on how much the readers agree."""
    if report.readers and report.agreement:
        read = ", ".join(f"{name} {files}" for name, files in report.readers.items())
        agreement = report.agreement
        put(
            f"files read by {read}; {agreement['agreed']} facts seen by two readers or more, "
            f"{agreement['single']} read by one alone, {agreement['disputed']} disputed"
        )


def _models(report: IndexReport) -> None:
    """Prints what language models did, what it cost and how far it can be trusted."""
    did = report.models
    if set(report.writers) - {"deterministic"}:
        put(f"explanations: {counted(report.writers)}")
    for trust in report.trust:
        put(
            f"{trust.model}: {trust.invented} of {trust.names} names in its explanations are in "
            f"no file ({trust.rate:.1%}), left out; {trust.repaired} answers asked for again"
        )
    if did.usage:
        _show_usage(did)
    if any(did.pending.values()):
        put(f"a model has still to do: {counted({k: n for k, n in did.pending.items() if n})}")


def _show_usage(did: ModelReport) -> None:
    heads = ("model calls", "sent", "stored", "failed", "repeated", "tokens in", "out", "USD")
    rows: list[Sequence[str]] = [heads]
    for one in did.usage:
        numbers = (one.calls, one.stored, one.failed, one.retries)
        tokens = (one.input_tokens, one.output_tokens)
        rows.append((one.stage, *(f"{n:,}" for n in (*numbers, *tokens)), _money(one.cost)))
    if len(did.usage) > 1:
        rows.append(("total", *[""] * 6, _money(did.cost)))
    columns(rows)


def _money(cost: float | None) -> str:
    if cost is None:
        return "?"
    return f"{cost:.4f}" if cost < 1 else f"{cost:,.2f}"


def _fallbacks(did: ModelReport) -> None:
    if did.stopped:
        say(f"hdlgraph: error: {did.stopped}; run again to go on, what was paid is kept")
    for line in did.fallbacks[:MAX_SHOWN]:
        say(f"hdlgraph: error: {line}")
    more = len(did.fallbacks) - MAX_SHOWN
    if more > 0:
        say(f"hdlgraph: error: ... and {more} more files without a model (--json lists all)")


def show_estimate(found: Estimate) -> None:
    """Prints what a run with a model would send and cost."""
    put(Text(f"{found.files} files, model {found.model}, nothing sent", style="bold"))
    heads = ("stage", "files", "calls", "stored", "tokens in", "out", "out max", "USD", "USD max")
    rows: list[Sequence[str]] = [heads]
    for one in found.stages:
        outputs = (one.output_tokens_typical, one.output_tokens_most)
        numbers = (one.files, one.calls, one.stored, one.input_tokens, *outputs)
        costs = (one.cost_typical, one.cost_most)
        rows.append((one.stage, *(f"{n:,}" for n in numbers), *map(_money, costs)))
    columns(rows)
    for note in found.notes:
        say(f"hdlgraph: note: {note}")


def _listing(name: str, lines: tuple[str, ...]) -> None:
    put(Text(f"{name}:", style="yellow"))
    for line in lines[:MAX_SHOWN]:
        put(Text(f"  {visible(line)}"))
    if len(lines) > MAX_SHOWN:
        put(Text(f"  ... and {len(lines) - MAX_SHOWN} more (--json lists all)"))
