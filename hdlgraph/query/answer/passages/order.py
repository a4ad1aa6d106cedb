"""Orders the files that an answer tells of, and leaves out copies and what adds nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hdlgraph.query.answer.passages.logic import covered
from hdlgraph.query.answer.passages.sides import side_first
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

FILES = 3  # that an answer tells of
ADDING = 0.7  # share of what the best file is worth, from which a further one is told of
GENERATED_FOR = frozenset({Aim.RESET, Aim.CONFIGURE, Aim.INTERFACE})
"""What generated files, such as those of registers, may answer before others."""


def in_order(
    views: Sequence[FileView], said: Collection[str], aims: Collection[Aim], verification: bool
) -> list[FileView]:
    """Returns the files to tell of, the one that is likeliest meant first; copies are left out.

    Files whose own name says most of the question come first, files of classes alone, which are
    never part of a design, come last.

    Args:
        views: the files found, the best first.
        said: the question's words in lower case.
        aims: what the question asks for.
        verification: whether it is about verification.
    """
    found = sorted(views, key=lambda view: not view.is_meant)
    if not verification:
        found.sort(key=FileView.is_bench)
        if not GENERATED_FOR.intersection(aims):
            found.sort(key=FileView.is_generated)
    found = side_first(found, said, lambda view: view.path, covered)
    texts: set[str] = set()
    kept = []
    for view in found:
        plain = "".join(view.source.text.split())
        if plain and plain not in texts:
            texts.add(plain)
            kept.append(view)
    kept = kept[:FILES]
    most = max(map(covered, kept), default=0.0)
    told = (v for v in kept[1:] if covered(v) >= ADDING * most or _named_in(v))
    return [*kept[:1], *told]


def _named_in(view: FileView) -> bool:
    """Returns whether the question writes the name of a file or of one of its units."""
    stem = view.path.rpartition("/")[2].partition(".")[0]
    return view.names(n for n in (stem, *(u.name for u in view.units)) if "_" in n)
