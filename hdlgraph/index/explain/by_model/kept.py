"""Explanations that language models wrote, kept beside the index and used by later runs.

    explanations-first.jsonl    of the first pass: by the file alone
    explanations-second.jsonl   of the second pass: with those of the neighbours in sight

Both hold one line a file, as `explanations export` writes them, with three keys more. A line
counts as long as the file has the content it was written for. Every answer is also in
`answers.sqlite` from the moment it arrived, so that a killed run loses none of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.jsonl import read_lines, write_lines

FIRST = "explanations-first.jsonl"
SECOND = "explanations-second.jsonl"
CONCEPTS = "concepts.jsonl"  # see `index/concepts/kept.py`


class ModelExplanation(Explanation, frozen=True, kw_only=True):
    """An explanation by a model, with the identifiers in it that its file does not have.

    `names` counts the identifiers in it, `invented` lists those that the file does not have;
    `repaired` is true where the first answer had not the form asked for.
    """

    names: int = 0
    invented: tuple[str, ...] = ()
    repaired: bool = False


def plain(item: Explanation) -> Explanation:
    """Returns an explanation as a plain `Explanation`, without the fields of this class."""
    if type(item) is Explanation:
        return item
    fields = Explanation.__struct_fields__
    return Explanation(**{name: getattr(item, name) for name in fields})


def read_kept(path: Path) -> dict[str, ModelExplanation]:
    """Returns the explanations that a file of this module holds, by path."""
    return read_lines(path, ModelExplanation)


def add_kept(path: Path, items: Iterable[ModelExplanation]) -> None:
    """Adds explanations to those a file holds, all or nothing; the newer one of a path wins."""
    write_lines(path, read_kept(path) | {item.path: item for item in items})


def fingerprint(*paths: Path) -> str:
    """Returns 16 hex digits of those files that are there, "" when there is none."""
    state = hashlib.sha256()
    present = False
    for path in sorted(paths):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        present = True
        state.update(path.name.encode() + b"\0" + hashlib.sha256(data).digest())
    return state.hexdigest()[:16] if present else ""


def given(
    records: Sequence[FileRecord], *sources: Mapping[str, Explanation]
) -> dict[str, Explanation]:
    """Returns the explanations that were written for exactly the present files.

    Args:
        records: the present files.
        sources: explanations by path; the first source that fits a file counts.
    """
    found: dict[str, Explanation] = {}
    for record in records:
        for source in sources:
            item = source.get(record.path)
            if item is not None and item.sha256 == record.sha256:
                found[record.path] = item
                break
    return found


def pending(files: Mapping[str, str], *sources: Mapping[str, Explanation]) -> tuple[str, ...]:
    """Returns the sorted paths that no source explains as they are now.

    Args:
        files: sha256 by path.
        sources: explanations by path.
    """
    return tuple(
        path
        for path, sha256 in sorted(files.items())
        if not any((item := source.get(path)) and item.sha256 == sha256 for source in sources)
    )
