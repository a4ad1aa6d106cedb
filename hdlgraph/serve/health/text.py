"""The state of an index and the checks of `doctor`, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.values import columns, counted, syntax_errors

RUNS = {
    "running": "another one is writing this index now",
    "unfinished": "the last one was not finished; its work is kept, and `hdlgraph index` goes on",
}
"""What `status` says of a run that has not ended."""


def show_status(state: dict[str, Any]) -> None:
    """Prints the state of an index."""
    plain = ("index", "root", "version", "files", "roles", "units", "nodes", "edges")
    rows = [(key, counted(state.get(key))) for key in plain]
    rows.append(("explanations", counted(state["writers"])))
    if any(state["pending"].values()):
        rows.append(("to be done", counted(state["pending"]) + " (by a model)"))
    rows.append(("embedder", state["embedder"] or "none (words and graph only)"))
    rows.append(("GraphRAG", counted(state["graphrag"])))
    if state["options"]:
        rows.append(("options", f"{_options(state['options'])} (remembered)"))
    if state["syntax_errors"]:
        errors = syntax_errors(state["syntax_errors"], state["syntax_error_files"])
        rows.append(("syntax", errors))
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


def _options(options: dict[str, Any]) -> str:
    """Returns remembered options in words, a list of them parted by blanks."""
    texts = (
        f"{name} {' '.join(value) if isinstance(value, list) else value}"
        for name, value in options.items()
        if name != "embeddings"
    )
    return visible(", ".join([*texts, *(["no embeddings"] if "embeddings" in options else [])]))


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
    columns(rows)
    trust = found["trust"]
    put(Text("what that is worth", style="bold"))
    columns(
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
