"""Source text as HTML: its words coloured by what they are, everything else escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from markupsafe import Markup, escape

from hdlgraph.safety.printable import visible

COLOURED = 400_000
"""Characters of the longest text that is coloured; a longer one is shown as it is."""
LONGEST = 2_000
"""Characters of a line that are shown."""
KINDS = (
    ("Comment.Preproc", "p"),
    ("Comment", "c"),
    ("Keyword.Type", "t"),
    ("Keyword", "k"),
    ("String", "s"),
    ("Number", "m"),
    ("Name.Builtin", "b"),
    ("Name.Constant", "p"),
    ("Operator", "o"),
)
"""Kinds of Pygments' tokens and the class that each has in the page, the first that fits."""

Piece = tuple[str, str]
"""A class, "" for none, and a text."""


@lru_cache(maxsize=8)
def file_coloured(text: str) -> tuple[Markup, ...]:
    """Returns each line of a file as HTML; the last files are kept."""
    return coloured(text)


def coloured(text: str) -> tuple[Markup, ...]:
    """Returns each line of a source text as HTML."""
    if len(text) > COLOURED:
        return tuple(Markup(escape(_clean(line))) for line in text.split("\n"))
    return tuple(_html(line) for line in _lines(text))


def marked(
    text: str, marks: Sequence[Sequence[int]], tip_of: Callable[[str], str] = lambda part: ""
) -> Markup:
    """Returns one line as HTML.

    Args:
        text: the line.
        marks: the parts [start, end) that match a question.
        tip_of: tells of such a part why it matches, "" where the question has it.
    """
    pieces: list[Piece] = [("c", text)]
    if not text.startswith(("*", "/*")):  # a line within a comment has nothing to colour
        pieces = next(_lines(text))
    found, at = [], 0
    edges = sorted({edge for mark in marks for edge in mark})
    tips = [(start, end, tip_of(text[start:end])) for start, end in marks]
    for kind, part in pieces:
        for piece in _cut(part, at, edges):
            tip = next((tip for start, end, tip in tips if start <= at < end), None)
            found.append(_span(kind, piece, tip))
            at += len(piece)
    return Markup("").join(found)


def _cut(part: str, at: int, edges: Sequence[int]) -> Iterator[str]:
    cuts = [edge - at for edge in edges if at < edge < at + len(part)]
    for start, end in zip([0, *cuts], [*cuts, len(part)], strict=True):
        yield part[start:end]


def _span(kind: str, text: str, tip: str | None = None) -> Markup:
    """Returns a piece as HTML, marked where there is a tip, which may be empty."""
    markup: Markup = escape(_clean(text))
    if kind:
        markup = Markup('<span class="{}">{}</span>').format(kind, markup)
    if tip is None:
        return markup
    if not tip:
        return Markup("<mark>{}</mark>").format(markup)
    return Markup('<mark title="{}">{}</mark>').format(visible(tip), markup)


def _html(pieces: Sequence[Piece]) -> Markup:
    left, found = LONGEST, []
    for kind, text in pieces:
        found.append(_span(kind, text[:left]))
        left -= len(text)
        if left < 0:
            found.append(Markup("<i>…</i>"))
            break
    return Markup("").join(found)


def _clean(text: str) -> str:
    """Returns text whose unseen characters are written out; tabs stay tabs."""
    return text if text.isprintable() else "\t".join(map(visible, text.split("\t")))


def _lines(text: str) -> Iterator[list[Piece]]:
    """Yields the pieces of each line."""
    line: list[Piece] = []
    for kind, part in _lexer().get_tokens(text):
        first, *more = part.split("\n")
        for number, piece in enumerate([first, *more]):
            if number:
                yield line
                line = []
            if piece:
                line.append((_class(kind), piece))
    yield line


@cache
def _class(kind: Any) -> str:
    name = str(kind).removeprefix("Token.").removeprefix("Literal.")
    return next((short for start, short in KINDS if name.startswith(start)), "")


@cache
def _lexer() -> Any:
    """Returns the lexer, whose time is in proportion to the text.

    The rules of Pygments for comments search to the end of the text from each `/`; these never
    fail once they have begun.
    """
    from pygments.lexers.hdl import SystemVerilogLexer
    from pygments.token import Comment

    comments = [
        (r"//[^\n]*", Comment.Single),
        (r"/\*(?>[^*]*(?:\*(?!/)[^*]*)*)(?:\*/|\Z)", Comment.Multiline),
    ]

    class Lexer(SystemVerilogLexer):  # type: ignore[misc]
        """SystemVerilog without the two rules."""

        tokens = {
            **SystemVerilogLexer.tokens,
            "root": [*comments, *_rules("root")],
            "macro": [*comments, *_rules("macro")],
        }

    return Lexer(stripnl=False, ensurenl=False)


def _rules(state: str) -> list[Any]:
    """Returns the lexer's rules of a state but those for comments."""
    from pygments.lexers.hdl import SystemVerilogLexer
    from pygments.token import Comment

    kinds = (Comment.Single, Comment.Multiline)
    own = SystemVerilogLexer.tokens[state]
    return [one for one in own if not (isinstance(one, tuple) and one[1] in kinds)]
