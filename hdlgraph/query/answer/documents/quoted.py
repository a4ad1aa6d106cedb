"""What is quoted of sections for a question: sentences, rows of tables, blocks of code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hdlgraph.query.answer.documents.sentences import LONGEST, Sentence, plain, prose, sentences_of
from hdlgraph.query.answer.sanitise import parted, printable
from hdlgraph.query.documents.pieces import CODE, ROW, Piece
from hdlgraph.query.documents.quotes import PASSAGES, best_quotes

MARGIN = "     | "
"""What stands before a line of code that has no number."""
_PLACE = re.compile(r"\[([^\[\]\n]*(?::\d+(?:-\d+)?|, page \d+|, section [^\[\]\n]*))\]")


def quotations(
    question: str,
    texts: Sequence[str],
    others: Sequence[str],
    rarity: Callable[[str], float],
    words: int,
) -> list[list[Sentence]]:
    """Returns what to quote of each text, in the order of its lines.

    Args:
        question: as asked.
        texts: of the sections that are quoted, best first; the first three are read.
        others: further sections, which tell what is boilerplate.
        rarity: gives the weight of a word's stem.
        words: words after which nothing more is quoted.
    """
    looked = [prose(text) for text in texts[:PASSAGES]]
    none = [""] * (PASSAGES - len(looked))
    found: list[list[Sentence]] = [[] for _ in texts]
    for quote in best_quotes(question, [*looked, *none, *map(prose, others)], rarity, words):
        sentence = _sentence(quote.piece, texts[quote.passage])
        if sentence.text:
            found[quote.passage].append(sentence)
    if texts and not any(found):
        # Only its titles have words of the question: its first sentence tells what it is about.
        found[0] = sentences_of(texts[0])[:1]
    return found


def _sentence(piece: Piece, text: str) -> Sentence:
    if piece.kind == CODE:
        return Sentence(piece.text, piece.line, piece.end_line, True)
    words = plain(text.split("\n")[piece.line] if piece.kind == ROW else piece.text)
    if len(words) > LONGEST:
        words = f"{words[: LONGEST - 1].rpartition(' ')[0]}…"
    return Sentence(words, piece.line, piece.end_line)


def safe_code(line: str) -> str:
    """Returns a line of code in which nothing can load an address or pose as a cited place."""
    return _PLACE.sub(r"(\1)", parted(printable(line).expandtabs(4).rstrip()))
