"""Reports about an index for people: what a run did, the state of an index, checks."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from hdlgraph.results import IndexReport
from hdlgraph.serve.output import console, put, say

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
    for name, paths in moved.items():
        if paths and report.unchanged:
            _listing(name, paths)
    if report.degraded:
        _listing("read in part", report.degraded)
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
    for note in report.notes:
        say(f"hdlgraph: note: {note}")
    for line in (*report.failed, *report.problems):
        say(f"hdlgraph: error: {line}")


def _listing(name: str, lines: tuple[str, ...]) -> None:
    put(Text(f"{name}:", style="yellow"))
    for line in lines[:SHOWN]:
        put(Text(f"  {line}"))
    if len(lines) > SHOWN:
        put(Text(f"  ... and {len(lines) - SHOWN} more (--json lists all)"))


def show_status(state: dict[str, Any]) -> None:
    """Prints the state of an index."""
    table = Table.grid(padding=(0, 2))
    for key in ("index", "root", "version", "files", "roles", "units", "nodes", "edges"):
        table.add_row(key, _plain(state.get(key)))
    table.add_row("embedder", state["embedder"] or "none (words and graph only)")
    table.add_row("GraphRAG", _plain(state["graphrag"]))
    table.add_row("degraded", str(len(state["degraded"])))
    table.add_row("failed", str(len(state["failed"])))
    stale = state["stale"]
    moved = ", ".join(f"{len(paths)} {name}" for name, paths in stale.items() if paths)
    table.add_row("fresh", "yes" if not moved else f"no: {moved}; run `hdlgraph index`")
    console().print(table)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items())
    return str(value)


def show_checks(checks: list[dict[str, str]]) -> None:
    """Prints the checks of doctor."""
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for check in checks:
        line = Text(f"{check['state']:<5}", style=styles[check["state"]])
        line.append(f"{check['name']}: {check['detail']}", style="default")
        put(line)
        if check["remedy"]:
            put(Text(f"      {check['remedy']}"))
