"""The report of a community in sentences, each statement with its place."""

from __future__ import annotations

from hdlgraph.model import Location
from hdlgraph.model.community import Community, Connection

MAX_LISTED = 8
"""Folders and connections in a text; the record has more."""


def summary_of(one: Community) -> str:
    """Returns what a community is, in one line."""
    roles = ", ".join(f"{count} {role}" for role, count in sorted(one.roles.items()))
    purpose = f"{one.purpose} " if one.purpose else ""
    return f"{purpose}{one.files} files ({roles}), {one.units} units."


def findings_of(one: Community) -> list[tuple[str, str]]:
    """Returns (heading, text) of each part of a report."""
    found = [("In the words of the model", text) for text in one.findings]
    if one.folders:
        places = [f"{f.path} ({f.files} of {f.total} files)" for f in one.folders[:MAX_LISTED]]
        found.append(("Folders", "; ".join(places) + "."))
    if one.top_units:
        units = [
            f"{u.kind} {u.name} ({Location(u.path, u.line)})"
            + (f": {u.purpose}" if u.purpose else "")
            for u in one.top_units
        ]
        found.append(("Top units", "\n".join(f"- {unit}" for unit in units)))
    found += [(f"With {c.title}", connection_text(c)) for c in one.connections[:MAX_LISTED]]
    return found


def connection_text(connection: Connection) -> str:
    """Returns a connection in words: how many uses of each kind, with examples."""
    counts = ", ".join(f"{k.replace('_', ' ')} {n}" for k, n in connection.counts.items())
    examples = "; ".join(f"{example.text} ({example.location})" for example in connection.examples)
    return f"{counts}. {examples}." if examples else f"{counts}."


def full_text(one: Community) -> str:
    """Returns a report as Markdown, as GraphRAG's own are."""
    parts = [f"# {one.title}", summary_of(one)]
    parts += [f"## {heading}\n\n{text}" for heading, text in findings_of(one)]
    return "\n\n".join(parts)
