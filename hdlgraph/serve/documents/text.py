"""Passages and the report on documents for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from hdlgraph.model import Location
from hdlgraph.model.passage import DocumentsReport, Passage
from hdlgraph.safety.printable import visible, visible_lines
from hdlgraph.serve.cli.output import put, say
from hdlgraph.serve.cli.text.links import linked

LINKS = 3
"""Links of a passage that are printed."""
LINES = 12
"""Lines of a passage that are printed, where not all of it is asked for."""
LISTED = 20
"""Failed documents that are listed."""
WORDS = {"MENTIONS": "mentions", "DESCRIBED_BY": "describes", "IMPLEMENTS": "in RTL"}


def show_files_heading() -> None:
    """Prints the heading of the files, where they stand below the passages."""
    put()
    put(Text("Files", style="bold"))


def show_passages(
    passages: Sequence[Passage], full: bool = False, alone: bool = False, above: bool = False
) -> None:
    """Prints passages: place, titles, best lines, and what of the design they lead to.

    Args:
        passages: the best first.
        full: whether all of the text of each is printed.
        alone: whether there are no files.
        above: whether the files stand below them.
    """
    if not passages:
        if alone:
            put(Text("no passage matches"))
        return
    if not alone:
        if not above:
            put()
        put(Text("Documents and registers", style="bold"))
    for one in passages:
        _show(one, full)


def place_of(one: Passage) -> str:
    """Returns where a passage stands: `path:line`, or `path, page N`."""
    if one.line:
        return str(Location(one.path, one.line))
    return f"{one.path}, page {one.page}" if one.page else one.path


def _show(one: Passage, full: bool) -> None:
    head = Text(f"{one.rank:>2}  ")
    head.append(visible(place_of(one)), style=linked(one.path, "bold cyan"))
    head.append(f"  {one.kind}", style="magenta")
    if one.places:
        head.append(f"  + {len(one.places)} more {'places' if one.places[1:] else 'place'}", "dim")
    put(head)
    titles = [*one.crumbs, one.title]
    put(Text(f"    {visible(' > '.join(dict.fromkeys(filter(None, titles))))}", style="bold"))
    lines = visible_lines(one.text).split("\n")
    chosen = lines if full else lines[:LINES]
    for text in chosen:
        put(Text(f"    {text}"))
    if len(lines) > len(chosen):
        put(Text(f"    … {len(lines) - len(chosen)} more lines (--full)", style="dim"))
    for link in one.links[:LINKS]:
        line = Text(f"    {WORDS.get(link.kind, link.kind)} ", style="dim")
        line.append(visible(link.name))
        line.append(f"  {visible(str(Location(link.path, link.line)))}", linked(link.path))
        line.append(f"  (hit {link.hit})" if link.hit else "", style="dim")
        put(line)
    if one.url:
        put(Text(f"    {visible(one.url)}", style="dim"))


def show_documents(found: DocumentsReport | None) -> None:
    """Prints what `index` did with documents, nothing where they are not indexed."""
    if found is None:
        return
    formats = ", ".join(f"{count} {name}" for name, count in found.formats.items())
    put(
        f"{found.documents} documents ({formats or 'none'}): {found.passages} passages of "
        f"{found.sections} sections, {found.registers} registers, {found.links} links "
        f"({found.read} read, {found.embedded} texts embedded now)"
    )
    for name, place in found.roots.items():
        put(f"@{visible(name)}: documents of {visible(place)}")
    for line in found.failed[:LISTED]:
        say(f"hdlgraph: error: {visible(line)}")
    if len(found.failed) > LISTED:
        say(f"hdlgraph: {len(found.failed) - LISTED} more documents failed")
    for note in found.notes[:LISTED]:
        say(f"hdlgraph: note: {visible(note)}")


def show_listing(found: dict[str, Any]) -> None:
    """Prints all documents, a line each."""
    count = found["counts"].get
    put(
        f"{count('documents', 0)} documents: {count('passages', 0)} passages of "
        f"{count('sections', 0)} sections, {count('registers', 0)} registers, "
        f"{count('links', 0)} links"
    )
    for one in found["documents"]:
        line = Text(visible(one["path"]), style=linked(one["path"], "bold cyan"))
        pages = f", {one['pages']} pages" if one["pages"] else ""
        line.append(f"  {one['format']}, {one['sections']} sections{pages}", style="dim")
        line.append(f"  {visible(one['title'])}")
        put(line)
    for line in found["failed"]:
        say(f"hdlgraph: error: {visible(line)}")
    for note in found["notes"]:
        say(f"hdlgraph: note: {visible(note)}")


def show_outline(found: dict[str, Any]) -> None:
    """Prints the sections of documents, with their links or their text."""
    for document in found["documents"]:
        put(Text(visible(document["path"]), style=linked(document["path"], "bold cyan")))
        for problem in document["problems"]:
            put(Text(f"  {visible(problem)}", style="yellow"))
        for part in document["parts"]:
            _part(part)


def _part(part: dict[str, Any]) -> None:
    place = f"page {part['page']}" if part["page"] else f"line {part['line']}"
    line = Text(f"{'  ' * (1 + len(part['crumbs']))}{visible(part['title']) or '(no title)'}")
    line.append(f"  {place if part['page'] or part['line'] else ''}", style="dim")
    put(line)
    for text in visible_lines(part.get("text", "")).split("\n") if "text" in part else ():
        put(Text(f"      {text}"))
    for link in part["links"]:
        words = WORDS.get(link["kind"], link["kind"])
        row_text = Text(f"      {words} {visible(link['name'])}", style="dim")
        row_text.append(f"  {visible(str(Location(link['path'], link['line'])))}")
        put(row_text)
