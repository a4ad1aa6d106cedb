"""Chooses the lines of a file that are quoted as those a model is shown are chosen.

Pieces of the file, such as an assignment, an arm or a short block, are taken by their worth; what
drives and uses the signals of a piece gets a part of that piece's worth.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hdlgraph.query.answer.material.pieces import FilePieces, Piece
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

LEAST = 0.12  # worth of the last piece shown, in worths of the best
BLOCKS = frozenset("always function task case if branch instance typedef".split())
BLOCK = 24  # lines of a block that is shown whole where most of it is shown
MOST = 0.7
UNASKED = 0.4  # of the worth of ports and parameters where the question asks for none
THRIFT = 0.6  # power of its length by which the worth of a piece is divided
RUN = 5  # lines of short statements that are taken together
NEAR = 3  # lines between two pieces that are quoted together
DECLARING = {"ports": Aim.INTERFACE, "parameters": Aim.CONFIGURE}


def chosen(view: FileView, shown: Collection[int], lines: int) -> list[list[int]]:
    """Returns the lines to quote, in groups that belong together, in the order of the file.

    Args:
        view: the file.
        shown: lines of it that the answer has already; they are not quoted again.
        lines: that all groups have together, beside the conditions around them.
    """
    file = FilePieces(view.path, view.source.text, RUN)
    anchors = [*(one.end_line + 1 for one in view.said), *view.anchors]
    about_reset = Aim.RESET not in view.aims and "reset" in view.asked
    aims = (*view.aims, Aim.RESET) if about_reset else view.aims
    worths = Worths(file, view.wanted, aims, anchors)
    for number, piece in enumerate(file.pieces):
        if DECLARING.get(piece.kind, Aim.GENERAL) not in view.aims:
            worths.bonus[number] *= UNASKED
            found = worths.terms[number]
            worths.terms[number] = {n: UNASKED * worth for n, worth in found.items()}
    selector = Selector(worths, lambda number: 1, 0, THRIFT)
    selector.taken.lines |= set(shown)
    taken = selector.take(lines, LEAST * selector.best())
    fresh = _whole(view, taken.lines) - set(shown)
    return _groups(view, taken.pieces, fresh)


def _groups(view: FileView, pieces: Sequence[Piece], fresh: Collection[int]) -> list[list[int]]:
    """Returns the fresh lines of the pieces, those with common conditions or near together."""
    found: list[tuple[set[int], set[int]]] = []
    for piece in sorted(pieces, key=lambda one: one.lines[0]):
        own = set(piece.lines) & set(fresh)
        if not own:
            continue
        around = guards(view, own) | set(piece.heads)
        if found:
            last, heads = found[-1]
            if min(own) - max(last) <= NEAR or (around - own) & heads:
                last |= own
                heads |= around
                continue
        found.append((own, around))
    return [sorted(own | heads) for own, heads in found]


def _whole(view: FileView, lines: Collection[int]) -> set[int]:
    """Returns the lines with the rest of each short block of which most is shown."""
    found = set(lines)
    for one in view.outline.statements:
        length = one.end_line - one.line + 1
        if one.kind not in BLOCKS or not 3 < length <= BLOCK:
            continue
        code = [n for n in range(one.line, one.end_line + 1) if view.source.lines[n - 1].strip()]
        if MOST * len(code) <= sum(n in lines for n in code) < len(code):
            found.update(code)
    return found
