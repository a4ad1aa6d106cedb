"""Search results and answers for people."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.text import Text

from hdlgraph.model import Location
from hdlgraph.results import EXTRACTIVE, Answer, Evidence, Hit, SearchResult, SourceLine
from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import console, put, say
from hdlgraph.serve.cli.text.links import linked

MAX_EVIDENCE = 4
"""Evidence lines per hit."""
NARROWEST = 20
"""Columns that a text has on the narrowest terminal."""
WIDEST = 10_000
"""Columns where there is no terminal."""

_ROLE_STYLES = {"rtl": "green", "package": "green", "testbench": "yellow", "formal": "yellow"}


def show_result(result: SearchResult, explain: bool = False, alone: bool = False) -> None:
    """Prints ranked files: place, role, what each does, its best lines and why it is a hit.

    Args:
        result: what was found.
        explain: whether scores, evidence and the paths of copies are printed too.
        alone: whether passages alone were asked for, which tell themselves that there are none.
    """
    if result.hits and result.likely:
        put(Text(_sure(result), style="italic"))
        put()
    for hit in result.hits:
        show_hit(hit, explain)
    if not result.hits and not alone and not result.passages:
        put(Text("no file matches"))
    say(
        f"hdlgraph: {len(result.hits)} of {result.total_files} files, {result.hops} hop(s), "
        f"{result.seconds * 1000:.0f} ms"
    )
    for note in result.notes:
        say(f"hdlgraph: note: {note}")


def _sure(result: SearchResult) -> str:
    """Returns a sentence on how likely the right file is among the hits."""
    return (
        f"Right file among the first five: {result.likely} "
        f"({100 * (result.confidence or 0.0):.0f} %)."
    )


def show_hit(hit: Hit, explain: bool = False) -> None:
    """Prints one ranked file."""
    line = Text(f"{hit.rank:>2}  ")
    line.append(visible(str(Location(hit.path, hit.line))), style=linked(hit.path, "bold cyan"))
    line.append(f"  {hit.role}", style=_ROLE_STYLES.get(hit.role, "dim"))
    if hit.copies:
        line.append(f"  + {len(hit.copies)} {'copies' if hit.copies[1:] else 'copy'}", style="dim")
    if explain:
        line.append(f"  {hit.score:.3f}", style="dim")
    put(line)
    for copy in hit.copies if explain else ():
        put(Text(visible(f"    copy {copy}"), style="dim"))
    for text in _wrapped(hit.summary):
        put(Text(text))
    for source in hit.lines:
        show_source_line(source)
    for text in _wrapped(f"why: {'; '.join(hit.why)}") if hit.why else ():
        put(Text(text, style="dim"))
    for evidence in hit.evidence[:MAX_EVIDENCE] if explain else ():
        show_evidence(evidence)


def show_source_line(source: SourceLine) -> None:
    """Prints a line of a file with its number, the words of the question in it marked."""
    head = f"{source.line:>8} | "
    text, marks = _around(source.text, source.marks, _width() - len(head))
    shown = Text(text)
    for start, end in marks:
        shown.stylize("bold underline", start, end)
    put(Text().append(head, style="dim").append_text(shown))


def _around(
    text: str, marks: Sequence[tuple[int, int]], width: int
) -> tuple[str, list[tuple[int, int]]]:
    """Returns the part of a line that fits a width, the first marks in it, and the marks there."""
    width = max(width, NARROWEST)
    if len(text) <= width:
        return text, list(marks)
    start = max(min(marks[0][0] - width // 4, len(text) - width + 1), 0) if marks else 0
    start = 0 if start < 2 else start
    end = start + width - (start > 0)
    end = end if end >= len(text) else end - 1
    shown = f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"
    shift = start - (start > 0)
    inside = [(max(a, start), min(b, end)) for a, b in marks if a < end and b > start]
    return shown, [(a - shift, b - shift) for a, b in inside]


def _wrapped(text: str) -> list[str]:
    """Returns text in lines that fit the terminal, indented, broken between words alone."""
    plain = " ".join(text.split())
    lines = wrap(
        plain, max(_width() - 4, NARROWEST), break_long_words=False, break_on_hyphens=False
    )
    return [f"    {line}" for line in lines]


def _width() -> int:
    """Returns the columns of the terminal; lines into a pipe or a file are not broken."""
    return console().width if console().is_terminal else WIDEST


def show_evidence(evidence: Evidence) -> None:
    """Prints one reason of a hit: its kind, place and text, and the edges walked to it."""
    line = Text("    · ", style="dim")
    line.append(f"{evidence.kind:<10} ", style="magenta")
    if evidence.path and evidence.line:
        line.append(visible(str(Location(evidence.path, evidence.line))), linked(evidence.path))
        line.append("  ")
    line.append(one_line(evidence.text, 120))
    put(line)
    for step in evidence.walk:
        put(Text(f"        {step}", style="dim"))


def show_sources(answer: Answer) -> None:
    """Prints the numbered sources of an answer, and its notes."""
    if answer.citations:
        put()
    for citation in answer.citations:
        line = Text(f"[{citation.marker}] ")
        line.append(visible(citation.place), style=linked(citation.path, "bold cyan"))
        line.append(f"  {visible(citation.url)}" if citation.url else "", style="dim")
        put(line)
    for note in (*answer.notes, *answer.result.notes):
        say(f"hdlgraph: note: {note}")
    if answer.model != EXTRACTIVE:
        say(
            f"hdlgraph: answered by {answer.model}: {answer.input_tokens} tokens read, "
            f"{answer.output_tokens} written"
        )


def one_line(text: str, width: int) -> str:
    """Returns text on one line; on a terminal it is cut at `width` characters."""
    plain = " ".join(text.split())
    if not console().is_terminal:
        return plain
    return plain if len(plain) <= width else plain[: width - 1] + "…"
