"""Reports about an index for people: what a run did, the state of an index, checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from hdlgraph.results import Estimate, IndexReport, ModelReport
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.documents.text import show_documents

RUNS = {
    "running": "another one is writing this index now",
    "unfinished": "the last one was not finished; its work is kept, and `hdlgraph index` goes on",
}
"""What `status` says of a run that has not ended."""
SHOWN = 10
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
        put(Text(_syntax(report.syntax_errors, report.syntax_error_files), style="yellow"))
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
    _told(report)


def _told(report: IndexReport) -> None:
    """Prints notes, and what failed."""
    for note in report.notes:
        say(f"hdlgraph: note: {note}")
    for line in (*report.failed, *report.problems):
        say(f"hdlgraph: error: {line}")
    _fallbacks(report.models)


def _syntax(errors: int, files: int) -> str:
    counted = f"{errors} syntax error{'s' * (errors != 1)} in {files} file{'s' * (files != 1)}"
    return f"{counted} (`hdlgraph unresolved --syntax` lists them)"


def _agreement(report: IndexReport) -> None:
    """Prints who read the files, and on how much the readers agree."""
    if report.readers and report.agreement:
        read = ", ".join(f"{name} {files}" for name, files in report.readers.items())
        told = report.agreement
        put(
            f"files read by {read}; {told['agreed']} facts seen by two readers or more, "
            f"{told['single']} read by one alone, {told['disputed']} disputed"
        )


def _models(report: IndexReport) -> None:
    """Prints what language models did, what it cost and how far it can be trusted."""
    did = report.models
    if set(report.writers) - {"deterministic"}:
        put(f"explanations: {_plain(report.writers)}")
    for trust in report.trust:
        put(
            f"{trust.model}: {trust.invented} of {trust.names} names in its explanations are in "
            f"no file ({trust.rate:.1%}), left out; {trust.repaired} answers asked for again"
        )
    if did.usage:
        _show_usage(did)
    if any(did.pending.values()):
        put(f"a model has still to do: {_plain({k: n for k, n in did.pending.items() if n})}")


def _columns(rows: Sequence[Sequence[str]]) -> None:
    """Prints rows of words, the first column to the left and the others to the right.

    A table of rich would be cut at 80 columns where the output is no terminal.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        put("  ".join([row[0].ljust(widths[0]), *cells]))


def _show_usage(did: ModelReport) -> None:
    heads = ("model calls", "sent", "stored", "failed", "repeated", "tokens in", "out", "USD")
    rows: list[Sequence[str]] = [heads]
    for one in did.usage:
        numbers = (one.calls, one.stored, one.failed, one.retries)
        tokens = (one.input_tokens, one.output_tokens)
        rows.append((one.stage, *(f"{n:,}" for n in (*numbers, *tokens)), _money(one.cost)))
    if len(did.usage) > 1:
        rows.append(("total", *[""] * 6, _money(did.cost)))
    _columns(rows)


def _money(cost: float | None) -> str:
    if cost is None:
        return "?"
    return f"{cost:.4f}" if cost < 1 else f"{cost:,.2f}"


def _fallbacks(did: ModelReport) -> None:
    if did.stopped:
        say(f"hdlgraph: error: {did.stopped}; run again to go on, what was paid is kept")
    for line in did.fallbacks[:SHOWN]:
        say(f"hdlgraph: error: {line}")
    more = len(did.fallbacks) - SHOWN
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
    _columns(rows)
    for note in found.notes:
        say(f"hdlgraph: note: {note}")


def _listing(name: str, lines: tuple[str, ...]) -> None:
    put(Text(f"{name}:", style="yellow"))
    for line in lines[:SHOWN]:
        put(Text(f"  {visible(line)}"))
    if len(lines) > SHOWN:
        put(Text(f"  ... and {len(lines) - SHOWN} more (--json lists all)"))


def show_status(state: dict[str, Any]) -> None:
    """Prints the state of an index."""
    plain = ("index", "root", "version", "files", "roles", "units", "nodes", "edges")
    rows = [(key, _plain(state.get(key))) for key in plain]
    rows.append(("explanations", _plain(state["writers"])))
    if any(state["pending"].values()):
        rows.append(("to be done", _plain(state["pending"]) + " (by a model)"))
    rows.append(("embedder", state["embedder"] or "none (words and graph only)"))
    rows.append(("GraphRAG", _plain(state["graphrag"])))
    if state["options"]:
        rows.append(("options", f"{_options(state['options'])} (remembered)"))
    if state["syntax_errors"]:
        told = _syntax(state["syntax_errors"], state["syntax_error_files"])
        rows.append(("syntax", told))
    rows.append(("degraded", str(len(state["degraded"]))))
    rows.append(("failed", str(len(state["failed"]))))
    stale = state["stale"]
    moved = ", ".join(f"{len(paths)} {name}" for name, paths in stale.items() if paths)
    if state["run"]:
        rows.append(("run", RUNS[state["run"]]))
    rows.append(("fresh", "yes" if not moved else f"no: {moved}; run `hdlgraph index`"))
    rows += [("note", visible(note)) for note in state.get("notes", ())]
    for name, value in rows:
        put(f"{name:<14}{value}")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        if not value:
            return "none"
        return visible(", ".join(f"{name} {count}" for name, count in value.items()))
    return visible(str(value))


def _options(options: dict[str, Any]) -> str:
    """Returns remembered options in words, a list of them parted by blanks."""
    told = (
        f"{name} {' '.join(value) if isinstance(value, list) else value}"
        for name, value in options.items()
        if name != "embeddings"
    )
    return visible(", ".join([*told, *(["no embeddings"] if "embeddings" in options else [])]))


def show_checks(checks: list[dict[str, str]]) -> None:
    """Prints the checks of doctor."""
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for check in checks:
        line = Text(f"{check['state']:<5}", style=styles[check["state"]])
        line.append(f"{check['name']}: {check['detail']}", style="default")
        put(line)
        if check["remedy"]:
            put(Text(f"      {check['remedy']}"))


def show_agreement(found: dict[str, Any]) -> None:
    """Prints how far the readers of the source agree, and what one of several alone saw."""
    put(Text(f"{found['files']} files", style="bold"))
    for name, read in found["readers"].items():
        more = "; ".join(
            f"{read[language]['read']} of {read[language]['files']} {word} files with a module"
            for language, word in (("verilog", "Verilog"), ("systemverilog", "SystemVerilog"))
            if language in read
        )
        put(f"  {name} read {read['files']}{f': {more}' if more else ''}")
    put(Text("where both read: what both saw, and what one of the two did", style="bold"))
    rows: list[Sequence[str]] = [("readers", "files", "what", "both", "first", "second")]
    for pair in found["pairs"]:
        for kind, facts in pair["facts"].items():
            counts = (f"{facts[key]:,}" for key in ("both", "first", "second"))
            rows.append((" and ".join(pair["readers"]), f"{pair['files']:,}", kind, *counts))
    _columns(rows)
    trust = found["trust"]
    put(Text("what that is worth", style="bold"))
    _columns(
        [("what", *next(iter(trust.values())))]
        + [(kind, *(f"{n:,}" for n in facts.values())) for kind, facts in trust.items()]
    )
    for one in found["disagreements"]:
        left = "" if one["in_graph"] else ", not in the graph"
        put(Text(
            f"{visible(one['location'])}: {one['kind']} {visible(one['name'])} of "
            f"{visible(one['unit'])}: seen by {', '.join(one['seen_by'])}, not by "
            f"{', '.join(one['not_seen_by'])}{left}"
        ))  # fmt: skip
    left = found["total"] - len(found["disagreements"])
    if left > 0:
        say(f"hdlgraph: {left} more disputed facts (--json lists up to 1000, --limit more)")
