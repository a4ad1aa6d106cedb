"""Builds GraphRAG's tables when somebody asks for what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from hdlgraph.errors import (
    IndexDamagedError,
    IndexMissingError,
    IndexUnsafeError,
    UsageError,
)
from hdlgraph.index.graphrag.due import State, absent, build, has_reports
from hdlgraph.index.progress import Meter, Progress, silent
from hdlgraph.index.request import Request
from hdlgraph.model.community import Community
from hdlgraph.results import StageUsage
from hdlgraph.store.checksums import check_files, checksums_of
from hdlgraph.store.communities import TABLE, read_communities
from hdlgraph.store.folder import TABLES, Store
from hdlgraph.store.guard import check_readable, check_writable
from hdlgraph.store.manifest import Manifest, write_manifest


def communities_of_index(
    request: Request, progress: Progress = silent
) -> tuple[list[Community], State, tuple[StageUsage, ...]]:
    """Returns the reports of communities, the state of the tables, and what models took.

    Tables that are missing, stale or damaged are built first, under the lock of the writer.

    Args:
        request: the index, the repository, and the settings in force.
        progress: told of the build.

    Raises:
        IndexMissingError, IndexVersionError: there is no index to read.
        UsageError: the settings say that tables are never built, or want reports of a model that
            they do not name.
        IndexLockedError: another run is writing this index.
        IndexUnsafeError: the index belongs to somebody else.
        BuildError: the build failed; the former tables are untouched.
    """
    held = Store(request.folder).hold()
    try:
        state = held.manifest.graphrag or absent()
        if has_reports(state, request.settings.graphrag.reports):
            found = _read(request, held.manifest)
            if found is not None:
                return found, state, ()
    finally:
        held.close()
    _check_settings(request)
    usage: list[StageUsage] = []
    manifest = _bring_up_to_date(request, progress, usage)
    found = _read(request, manifest)
    if found is None:
        raise IndexMissingError(
            f"index {request.folder}: another run replaced it just now; ask again"
        )
    return found, manifest.graphrag, tuple(usage)


def _check_settings(request: Request) -> None:
    """Raises UsageError where the settings do not let the tables be built."""
    if request.settings.graphrag.enabled == "never":
        raise UsageError(
            "overview: reads GraphRAG's tables, which are not up to date, and graphrag.enabled is "
            "never; set it to on-demand"
        )
    if request.settings.graphrag.reports == "model" and request.settings.llm.provider == "none":
        raise UsageError(
            "overview: reports by a model need a language model, and none is configured; name one "
            "in the `llm` section of a settings file and give that with --settings (or "
            "HDLGRAPH_SETTINGS)"
        )


def _read(request: Request, manifest: Manifest) -> list[Community] | None:
    """Returns the reports of the tables that a manifest names, None where they are damaged."""
    folder = request.folder / TABLES
    check_readable(request.folder, folder)
    if TABLE not in manifest.tables:
        return None
    try:
        check_files(folder, manifest.tables, [TABLE])
    except IndexDamagedError:
        return None
    return read_communities(folder)


def _bring_up_to_date(request: Request, progress: Progress, usage: list[StageUsage]) -> Manifest:
    """Builds the tables of the valid index and returns its new manifest."""
    _check_writable(request.folder)
    with Store(request.folder).write() as run, Meter(progress) as meter:
        manifest = run.former
        if manifest is None:
            raise IndexMissingError(
                f"index {request.folder}: is damaged; rebuild it with `hdlgraph index REPO`"
            )
        # Who once wanted vectors for GraphRAG's local search keeps them.
        vectors = bool(manifest.graphrag.get("vectors"))
        vectors = vectors or request.settings.graphrag.enabled == "always"
        state = build(request, manifest, meter, usage, vectors=vectors)
        tables = checksums_of(request.folder / TABLES)
        manifest = msgspec.structs.replace(manifest, graphrag=state, tables=tables)
        write_manifest(request.folder, manifest)
        return manifest


def _check_writable(folder: Path) -> None:
    """Raises IndexUnsafeError that says what to do where the overview cannot be built."""
    try:
        check_writable(folder)
        why = "" if os.access(folder, os.W_OK) else f"index {folder}: you may not write to it"
    except IndexUnsafeError as error:
        why = str(error).partition(";")[0]
    if why:
        raise IndexUnsafeError(
            f"{why}; its overview is not up to date and would be built there: have its owner run "
            "`hdlgraph overview`, or index the repository into a folder of your own (--index)"
        )
