"""Searching several repositories: `Workspace.search`."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.project.workspace.members import Members, Outcomes

if TYPE_CHECKING:
    from hdlgraph.project import Project
    from hdlgraph.query.features.feature import Ranking
    from hdlgraph.query.workspace.evidence import Evidence
    from hdlgraph.query.workspace.records import Member, WorkspacePassage, WorkspaceResult
    from hdlgraph.results import SearchResult

WEAK = "nothing found fits well"
"""How a search notes that its index has nothing on the question: others may have."""


class One(NamedTuple):
    """What one repository found, and what of it compares with others; None without any hit."""

    result: SearchResult
    evidence: Evidence | None
    contents: tuple[tuple[str, ...], ...]
    project: Project


class Searching:
    """The part of a workspace that searches.

    Args:
        members: the repositories.
    """

    def __init__(self, members: Members) -> None:
        self.members = members

    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        repositories: Collection[str] = (),
        rerank: bool | None = None,
        **options: Any,
    ) -> WorkspaceResult:
        """Returns the files of all repositories that answer a question best, each with its own.

        A repository that cannot be searched is named with the reason; the others answer. Files of
        the same content in several repositories are one hit.

        Args:
            question: free text.
            k: files wanted; None takes 10.
            hops: edges walked from the first matches, 0 to 2; None takes each one's settings.
            roles: only files of these roles; empty takes all.
            repositories: only these; empty takes all.
            rerank: whether a model reorders the best files of each repository; None does not.
            **options: further ones, as of `Project.search`.

        Raises:
            UsageError: the question is empty, or an option is out of range.
            HdlgraphError: no repository could be searched.
        """
        import msgspec

        from hdlgraph.query.workspace.weigh import DEPTH

        started = time.perf_counter()
        k = DEPTH if k is None else k
        asked = {
            "hops": hops, "roles": tuple(roles), "rerank": bool(rerank), "fold": True, **options,
        }  # fmt: skip

        def one(project: Project) -> One:
            return found_by(project, question, max(k, DEPTH) if k > 0 else k, asked)

        outcomes = self.members.each(one, repositories)
        return msgspec.structs.replace(
            _merged(self.members, outcomes, question, k),
            seconds=round(time.perf_counter() - started, 4),
        )


def found_by(project: Project, question: str, k: int, asked: dict[str, Any]) -> One:
    """Returns what one repository finds, with the evidence that compares."""
    import msgspec

    from hdlgraph.query.workspace.evidence import evidence_of

    with _witness() as seen:
        result = project.search(question, k=k, **asked)
    if not result.hits:
        return One(result, None, (), project)
    ranking = seen[0] if seen else project.searcher().ranking(question, result.hops)
    known, files = frozenset(ranking.asked.index.lexicon.paths), project.manifest().files
    hits = tuple(hit for hit in result.hits if hit.path in known)
    contents = tuple(
        tuple(files[path].sha256 for path in (hit.path, *hit.copies) if path in files)
        for hit in hits
    )
    evidence = evidence_of(ranking, [hit.path for hit in hits], result.confidence)
    return One(msgspec.structs.replace(result, hits=hits), evidence, contents, project)


@contextmanager
def _witness() -> Iterator[list[Ranking]]:
    """Yields the rankings that searches within make, in order."""
    from hdlgraph.query.search import WITNESS

    seen: list[Ranking] = []
    outer = WITNESS.set(seen.append)
    try:
        yield seen
    finally:
        WITNESS.reset(outer)


def _merged(members: Members, outcomes: Outcomes, question: str, k: int) -> WorkspaceResult:
    """Returns what all repositories found, in one list."""
    from hdlgraph.query.result.confidence import FIRST
    from hdlgraph.query.result.likely import in_words
    from hdlgraph.query.workspace.merge import Found, merge
    from hdlgraph.query.workspace.records import WorkspaceResult

    given: dict[str, One] = outcomes.given
    found = {
        name: Found(one.result.hits, one.evidence, one.contents)
        for name, one in given.items()
        if one.evidence is not None
    }
    merged = merge(found, question)
    sure = None
    if merged.hits:
        sure = round(min(sum(hit.probability for hit in merged.hits[:FIRST]), 1.0), 4)
    results = {name: one.result for name, one in given.items()}
    return WorkspaceResult(
        question=question,
        hits=merged.hits[:k],
        repositories=_members(members, outcomes, merged.shares),
        hops=max((one.hops for one in results.values()), default=0),
        total_files=sum(one.total_files for one in results.values()),
        notes=_notes(results, outcomes.problems, bool(merged.hits) and merged.refused),
        confidence=sure,
        likely=in_words(sure),
        stale={name: one.stale for name, one in results.items() if one.stale.any},
        passages=_passages(results, merged.shares),
    )


def _members(
    members: Members, outcomes: Outcomes, shares: Mapping[str, float]
) -> tuple[Member, ...]:
    """Returns what each repository that was asked gave, in the order of the workspace."""
    from hdlgraph.query.workspace.records import Member

    found = []
    for name, entry in members.entries.items():
        place: dict[str, Any] = {"name": name, "label": entry.label, "index": entry.place}
        if name in outcomes.problems:
            found.append(Member(**place, error=outcomes.problems[name]))
        elif name in outcomes.given:
            one: One = outcomes.given[name]
            sure, files = one.result.confidence, one.result.total_files
            share = round(shares.get(name, 0.0), 4)
            root = str(one.project.root)
            found.append(Member(**place, root=root, files=files, confidence=sure, share=share))
    return tuple(found)


def _notes(
    results: Mapping[str, SearchResult], problems: Mapping[str, str], refused: bool
) -> tuple[str, ...]:
    """Returns the notes of all repositories, each of several with those that say it."""
    by_note: dict[str, list[str]] = {}
    for name, one in results.items():
        for note in one.notes:
            if not note.startswith(WEAK):
                by_note.setdefault(note, []).append(name)
    listed = [
        note if len(names) == len(results) else f"{', '.join(names)}: {note}"
        for note, names in by_note.items()
    ]
    weak = [f"{WEAK}: no repository has files that fit the question"] if refused else []
    return (*not_asked(problems), *weak, *listed)


def not_asked(problems: Mapping[str, str]) -> list[str]:
    """Returns a note for each repository that could not be asked."""
    return [f"{name} was not asked: {why}" for name, why in problems.items()]


def _passages(
    results: Mapping[str, SearchResult], shares: Mapping[str, float]
) -> tuple[WorkspacePassage, ...]:
    """Returns the passages of all repositories, those of the likeliest repositories first."""
    import msgspec

    from hdlgraph.query.workspace.records import WorkspacePassage

    ranked = [
        (-shares.get(name, 0.0) / passage.rank, passage.rank, name, passage)
        for name, one in results.items()
        for passage in one.passages
    ]
    most = max((len(one.passages) for one in results.values()), default=0)
    chosen = sorted(ranked, key=lambda one: one[:3])[:most]
    return tuple(
        WorkspacePassage(**{**msgspec.structs.asdict(one), "rank": rank}, repository=name)
        for rank, (*_, name, one) in enumerate(chosen, 1)
    )
