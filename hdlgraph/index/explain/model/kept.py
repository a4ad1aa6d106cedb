"""What language models wrote about files, kept beside the index: paid once, used again and again.

    written.jsonl     explanations by the file alone
    rewritten.jsonl   explanations made anew with those of the neighbours in sight

Both hold one line a file, as `explanations export` writes them, with three keys more. A line
counts as long as the file has the content it was written for. Every answer is also in
`answers.sqlite` from the moment it arrived, so a killed run loses neither words nor money.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.jsonl import read_lines, write_lines

FIRST = "written.jsonl"
SECOND = "rewritten.jsonl"
DISTILLED = "distilled.jsonl"  # see `hdlgraph.index.concepts.kept`


class Written(Explanation, frozen=True, kw_only=True):
    """An explanation by a model, and how far its words can be trusted.

    `names` counts the identifiers in it, `invented` lists those that the file does not have;
    `repaired` is true where the first answer had not the form asked for.
    """

    names: int = 0
    invented: tuple[str, ...] = ()
    repaired: bool = False


def plain(item: Explanation) -> Explanation:
    """Returns an explanation as all others are, without what only its writer's record has."""
    if type(item) is Explanation:
        return item
    fields = Explanation.__struct_fields__
    return Explanation(**{name: getattr(item, name) for name in fields})


def read_written(path: Path) -> dict[str, Written]:
    """Returns the explanations that a file of this module holds, by path."""
    return read_lines(path, Written)


def add_written(path: Path, items: Iterable[Written]) -> None:
    """Adds explanations to those a file holds, all or nothing; the newer one of a path wins."""
    write_lines(path, read_written(path) | {item.path: item for item in items})


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
