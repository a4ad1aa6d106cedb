"""Lays the options of one call over the settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from hdlgraph.errors import UsageError
from hdlgraph.settings.records import Settings


def adjusted(
    settings: Settings,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    data_type: str | None = None,
    jobs: int | None = None,
    embeddings: bool = True,
    graphrag: str | None = None,
) -> Settings:
    """Returns settings with the options of one `index` call laid over them."""
    change = dataclasses.replace
    files = change(
        settings.files,
        include=(*settings.files.include, *include),
        exclude=(*settings.files.exclude, *exclude),
    )
    parse = settings.parse if jobs is None else change(settings.parse, jobs=jobs)
    embedding = settings.embedding if embeddings else change(settings.embedding, provider="none")
    tables = change(
        settings.graphrag,
        enabled=graphrag or settings.graphrag.enabled,
        data_type=data_type or settings.graphrag.data_type,
    )
    return change(settings, files=files, parse=parse, embedding=embedding, graphrag=tables)


def with_models(
    settings: Settings, explain: str | None, neighbours: bool | None, extract: str | None
) -> Settings:
    """Returns settings with one call's wishes about language models laid over them.

    Raises:
        UsageError: a value is unknown, or the wishes contradict each other.
    """
    change = dataclasses.replace
    for name, value, known in (
        ("explain", explain, ("deterministic", "model")),
        ("extract", extract, ("ast", "both", "llm")),
    ):
        if value is not None and value not in known:
            raise UsageError(f"{name} {value}: unknown; known are {', '.join(known)}")
    if neighbours and explain == "deterministic":
        raise UsageError(
            "--neighbours rewrites what a model wrote: leave out --explain deterministic"
        )
    writer = "model" if neighbours else explain or settings.explain.explainer
    second = settings.explain.neighbours if neighbours is None else neighbours
    return change(
        settings,
        explain=change(settings.explain, explainer=writer, neighbours=second and writer == "model"),
        extract=change(settings.extract, method=extract or settings.extract.method),
    )


def check_roles(roles: Collection[str]) -> None:
    """Raises UsageError for a role that no file can have."""
    from hdlgraph.model import Role

    known = [role.value for role in Role]
    for role in roles:
        if role not in known:
            raise UsageError(f"role {role}: unknown; known are {', '.join(known)}")
