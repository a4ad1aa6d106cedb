"""The overview of a design for people: an indented tree of its communities."""

from __future__ import annotations

from rich.text import Text

from hdlgraph.model import Location
from hdlgraph.model.community import Community, Connection, TopUnit
from hdlgraph.query.overview.answer import short
from hdlgraph.query.overview.overview import Overview, part_of
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.hits import one_line
from hdlgraph.serve.cli.text.links import linked

UNITS, CONNECTIONS = 3, 3
WIDTH = 160
HEADINGS = {"design": "Design", "vendored": "Taken from elsewhere", "tests": "Verification"}


def show_overview(overview: Overview) -> None:
    """Prints the communities: the design first, finer ones below coarser ones."""
    tops = sum(one.level == 0 for one in overview.communities)
    put(f"{overview.files} files in {tops} communities")
    heading = ""
    for one in overview.communities:
        if one.level == 0:
            part = HEADINGS[part_of(one)]
            if part != heading:
                put()
                put(Text(part, style="magenta"))
                heading = part
        _community(one)
    if overview.outside:
        say(f"hdlgraph: note: {overview.outside} files belong to no community")
    if overview.level + 1 < overview.levels:
        say(f"hdlgraph: --level {overview.level + 1} shows what these consist of")
    for note in overview.notes:
        say(f"hdlgraph: note: {note}")


def _community(one: Community) -> None:
    indent = "  " * one.level
    line = Text(indent)
    line.append(visible(one.title), style="bold")
    roles = ", ".join(f"{count} {visible(role)}" for role, count in sorted(one.roles.items()))
    line.append(f"  {one.files} files: {roles}", style="dim")
    put(line)
    if one.purpose:
        put(f"{indent}  {one_line(visible(one.purpose), WIDTH)}")
    for finding in one.findings:
        put(f"{indent}  - {one_line(visible(finding), WIDTH)}")
    for unit in one.top_units[: UNITS if one.level == 0 else 1]:
        _unit(indent, unit)
    if one.level == 0:
        for connection in one.connections[:CONNECTIONS]:
            _connection(indent, connection)


def _unit(indent: str, unit: TopUnit) -> None:
    line = Text(f"{indent}  {visible(unit.kind)} {visible(unit.name)}  ")
    line.append(visible(str(Location(unit.path, unit.line))), style=linked(unit.path))
    put(line)


def _connection(indent: str, one: Connection) -> None:
    counts = ", ".join(f"{visible(k).replace('_', ' ')} {n}" for k, n in one.counts.items())
    put(f"{indent}  with {visible(short(one.title))}: {counts}")
    if one.examples:
        example = one.examples[0]
        line = Text(f"{indent}    {one_line(visible(example.text), WIDTH)}  ", style="dim")
        line.append(visible(example.location), style=linked(example.path))
        put(line)
