"""`hdlgraph index --check`: says whether an index fits its repository, and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hdlgraph.serve.ci.affected import MAX_SHOWN
from hdlgraph.serve.cli.output import emit, say

if TYPE_CHECKING:
    from hdlgraph.project import Project

FITS, STALE = 0, 3
"""Exit codes: the index fits the repository, it does not."""
OPTIONS = ("filelist", "include", "exclude", "data_type", "embeddings", "reset_options")


def check_index(project: Project, given: Mapping[str, Any], as_json: bool) -> int:
    """Prints whether the index of a project fits; returns the exit code.

    Args:
        project: the repository and its index.
        given: the options of `hdlgraph index`; those of what is read count.
        as_json: whether to print the JSON object.
    """
    found = project.check(**{name: given[name] for name in OPTIONS})
    if as_json:
        emit(found)
    else:
        from hdlgraph.serve.ci.render import show_check

        show_check(found, MAX_SHOWN)
        for note in found["notes"]:
            say(f"hdlgraph: note: {note}")
    return FITS if found["fits"] else STALE
