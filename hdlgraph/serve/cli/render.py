"""Search results and answers for people."""

from __future__ import annotations

from rich.text import Text

from hdlgraph.model import Location
from hdlgraph.results import EXTRACTIVE, Answer, Evidence, Hit, SearchResult
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put, say

SHOWN = 4
"""Evidence lines per hit."""

_ROLE_STYLES = {"rtl": "green", "package": "green", "testbench": "yellow", "formal": "yellow"}


def show_result(result: SearchResult) -> None:
    """Prints ranked files, each with its place, role, score, purpose and evidence."""
    for hit in result.hits:
        show_hit(hit)
    if not result.hits:
        put(Text("no file matches"))
    say(
        f"hdlgraph: {len(result.hits)} of {result.total_files} files, {result.hops} hop(s), "
        f"{result.seconds * 1000:.0f} ms"
    )
    for note in result.notes:
        say(f"hdlgraph: note: {note}")


def show_hit(hit: Hit) -> None:
    """Prints one ranked file."""
    line = Text(f"{hit.rank:>2}  ")
    line.append(visible(str(Location(hit.path, hit.line))), style="bold cyan")
    line.append(f"  {hit.role}", style=_ROLE_STYLES.get(hit.role, "dim"))
    line.append(f"  {hit.score:.3f}", style="dim")
    put(line)
    if hit.summary:
        put(Text("    " + one_line(hit.summary, 160)))
    for evidence in hit.evidence[:SHOWN]:
        show_evidence(evidence)


def show_evidence(evidence: Evidence) -> None:
    """Prints one reason of a hit: its kind, place and text, and the edges walked to it."""
    line = Text("    · ", style="dim")
    line.append(f"{evidence.kind:<10} ", style="magenta")
    if evidence.path and evidence.line:
        line.append(visible(f"{Location(evidence.path, evidence.line)}  "), style="cyan")
    line.append(one_line(evidence.text, 120))
    put(line)
    for step in evidence.walk:
        put(Text(f"        {step}", style="dim"))


def show_sources(answer: Answer) -> None:
    """Prints the numbered sources of an answer, and its notes."""
    if answer.citations:
        put()
    for citation in answer.citations:
        place = Location(citation.path, citation.line)
        span = f"-{citation.end_line}" if citation.end_line > citation.line else ""
        line = Text(f"[{citation.marker}] ")
        line.append(visible(f"{place}{span}"), style="bold cyan")
        put(line)
    for note in (*answer.notes, *answer.result.notes):
        say(f"hdlgraph: note: {note}")
    if answer.model != EXTRACTIVE:
        say(
            f"hdlgraph: answered by {answer.model}: {answer.input_tokens} tokens read, "
            f"{answer.output_tokens} written"
        )


def one_line(text: str, width: int) -> str:
    """Returns text on one line, cut at `width` characters."""
    plain = " ".join(text.split())
    return plain if len(plain) <= width else plain[: width - 1] + "…"
