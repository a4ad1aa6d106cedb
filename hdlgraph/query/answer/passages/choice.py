"""Chooses the lines of a file that are quoted as those a model is shown are chosen.

Pieces of the file, such as an assignment, an arm or a block, are taken by their worth until there
is no room; what drives and uses the signals of a piece gets a part of that piece's worth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

LEAST = 0.1  # worth of the last piece shown, in worths of the best
NUMBER = 7  # characters of a line's number and end
GAP = 6  # characters of the dots between two pieces
NEAR = 3  # lines between two pieces that are quoted together
DECLARING = {"ports": Aim.INTERFACE, "parameters": Aim.CONFIGURE}


def chosen(view: FileView, shown: Collection[int], room: int) -> list[list[int]]:
    """Returns the lines to quote, in groups that belong together, in the order of the file.

    Args:
        view: the file.
        shown: lines of it that the answer has already; they are not quoted again.
        room: characters that all groups have together.
    """
    file = FilePieces(view.path, view.source.text)
    anchors = [*(one.end_line + 1 for one in view.said), *view.anchors]
    about_reset = Aim.RESET not in view.aims and "reset" in view.asked
    aims = (*view.aims, Aim.RESET) if about_reset else view.aims
    worths = Worths(file, view.wanted, aims, anchors)
    unasked = {kind for kind, aim in DECLARING.items() if aim not in view.aims}

    def cost(number: int) -> int:
        text = view.source.lines[number - 1].expandtabs(4).rstrip()
        plain = text.lstrip()
        return NUMBER + len(plain) + (len(text) - len(plain)) // 2

    selector = Selector(worths, cost, GAP, unasked=unasked)
    selector.taken.lines |= set(shown)
    taken = selector.take(room, LEAST * selector.best())
    fresh = taken.lines - set(shown)
    return _groups(view, fresh | guards(view, fresh))


def _groups(view: FileView, numbers: Iterable[int]) -> list[list[int]]:
    """Returns lines in groups: those of the same block, or near together."""
    found: list[list[int]] = []
    block = None
    for number in sorted(numbers):
        around = [s for s in view.outline.enclosing(number) if s.kind not in ("unit", "generate")]
        outer = around[0] if around else None
        near = found and number - found[-1][-1] <= NEAR
        if near or (found and outer is not None and outer is block):
            found[-1].append(number)
        else:
            found.append([number])
        block = outer
    return found
