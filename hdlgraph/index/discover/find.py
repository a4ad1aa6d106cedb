"""Finds the files of a repository anew, with what the former run recorded of them."""

from __future__ import annotations

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.files import Discovery, discover
from hdlgraph.index.discover.source_file import Known
from hdlgraph.index.progress import Tick
from hdlgraph.index.request import Request
from hdlgraph.store.manifest import FileEntry, Manifest

RACY_NS = 2_000_000_000
"""A file touched this shortly before it was last read may have changed without a new time."""


def known_files(former: Manifest | None) -> dict[str, Known]:
    """Returns what the former run recorded of each file, without those touched as it read them."""
    if former is None:
        return {}
    safe = former.checked_ns - RACY_NS
    return {
        path: Known(entry.size, entry.mtime_ns, entry.sha256, entry.role)
        for path, entry in former.files.items()
        if entry.mtime_ns < safe and entry.sha256
    }


def entries_of(found: Discovery) -> dict[str, FileEntry]:
    """Returns the present files as the manifest records them."""
    return {
        source.path: FileEntry(source.sha256, source.size, source.mtime_ns, source.role)
        for source in found.files
    }


def find_files(
    request: Request, former: Manifest | None, tick: Tick = lambda done, total: None
) -> Discovery:
    """Returns the files of a repository; UsageError when it holds no Verilog.

    `tick` is called with (files read, files found).
    """
    files = request.settings.files
    found = discover(
        request.root,
        include=files.include,
        exclude=files.exclude,
        filelist=request.filelist,
        trusted=request.trusted,
        suffixes=files.suffixes,
        known=known_files(former),
        secrets={request.settings.llm.key_env} - {""},
        tick=tick,
    )
    if not found.files and not request.documents:
        raise UsageError(
            f"repository {request.root}: no Verilog or SystemVerilog file in it "
            f"(looked for {' '.join(files.suffixes)}; ignore files, include and exclude "
            "globs were obeyed); --documents indexes its documents"
        )
    return found
