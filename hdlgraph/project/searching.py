"""Finding files: `Project.search`, with the help of a model and of passages where there are any."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hdlgraph.project.documents.answering import DocumentAnswers
from hdlgraph.project.documents.searching import check_kind
from hdlgraph.settings.options import check_roles

if TYPE_CHECKING:
    from hdlgraph.project.opened import Opened
    from hdlgraph.query.assist.assisted import Guide
    from hdlgraph.query.assist.card_facts import CardFacts
    from hdlgraph.query.documents.beside import Beside
    from hdlgraph.query.question.team import TeamWords
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Hit, Moved, SearchResult
    from hdlgraph.store.manifest import Manifest

MAX_BYTES = 2_000_000
"""Of a larger file no lines are shown: all of it would have to be read and checked."""


class Searching(DocumentAnswers):
    """The part of a project that finds the files for a question."""

    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        reword: bool | None = None,
        decompose: bool | None = None,
        rerank: bool | None = None,
        fold: bool = True,
        lines: bool = True,
        kind: str = "all",
        passages: int | None = None,
        full: bool = False,
    ) -> SearchResult:
        """Returns the files that answer a question best, with evidence, and passages beside them.

        Passages are sections of documents and registers; there are none where no documents are
        indexed.

        What the model fails to deliver for one of the last three is left out, with a note.

        Args:
            question: free text; identifiers in it are matched exactly.
            k: files wanted; None takes the settings.
            hops: edges walked from the first matches, 0 to 2; None takes the settings.
            roles: only files of these roles (rtl, testbench, formal, ...); empty takes all.
            candidates: only these paths; None takes all.
            reword: whether the model also puts it in other words; None takes the settings.
            decompose: whether it splits the question into parts; None takes the settings.
            rerank: whether it reorders the best files; None takes the settings, where a model is
                configured.
            fold: whether files that are nearly the same make one hit.
            lines: whether each hit has its best source lines.
            kind: "rtl" for files alone, "doc" or "register" for such passages alone, "all".
            passages: passages wanted; None takes the settings.
            full: whether passages have their whole text.

        Raises:
            UsageError: the question is empty, an option is out of range, or the model's help is
                wanted and no model is configured.
        """
        check_kind(kind)
        if kind in ("doc", "register") or not self.manifest().files:
            return self.with_passages(self._no_files(question), kind, passages, full)
        beside = self.beside(question) if kind == "all" else None
        result = self._beside_passages(
            beside,
            self._open(),
            question,
            k=k,
            hops=hops,
            roles=roles,
            candidates=candidates,
            reword=reword,
            decompose=decompose,
            rerank=rerank,
            fold=fold,
            lines=lines,
        )
        return self.with_passages(result, kind, passages, full, beside)

    def _beside_passages(
        self,
        beside: Beside | None,
        opened: Opened,
        question: str,
        k: int | None = None,
        lines: bool = True,
        **options: Any,
    ) -> SearchResult:
        """Returns the files for a question, raised by the passages where there are any.

        What the passages raise must stand among the first files of a longer list already; lines
        are chosen of those alone that are shown.
        """
        import msgspec

        k = self.settings.search.k if k is None else k
        if beside is None or k < 1:
            return self._search(opened, question, k=k, lines=lines, **options)
        result = self._search(opened, question, k=max(k, beside.depth), lines=False, **options)
        raised = beside.raise_files(result, k)
        if not lines:
            return raised
        with opened.searching() as searcher:
            hits = self._with_lines(opened, searcher, question, raised.hits)
        return msgspec.structs.replace(raised, hits=hits)

    def _search(
        self,
        opened: Opened,
        question: str,
        k: int | None = None,
        hops: int | None = None,
        roles: Collection[str] = (),
        candidates: Collection[str] | None = None,
        fold: bool = True,
        lines: bool = True,
        **helped: bool | None,
    ) -> SearchResult:
        """Returns the result of `search`, whose arguments these are, for an opened generation."""
        import msgspec

        from hdlgraph.query.assist.wanted import search_with, wanted
        from hdlgraph.query.result.standing import still_standing

        check_roles(roles)
        usual = self.settings.search
        k = usual.k if k is None else k
        hops = usual.hops if hops is None else hops
        aspects = usual.aspects
        looking = opened.beside(self._moved, opened.generation.manifest)
        with opened.searching() as searcher:
            moved = looking.result()
            searcher.lexicon.team = self._team_words()
            allowed = _present(searcher.lexicon.paths, candidates, moved)
            search = partial(searcher.search, hops=hops, roles=roles, candidates=allowed)
            help = wanted(question, self.settings, helped)
            result, help_notes = search_with(
                help,
                partial(search, question, k, aspects=aspects, fold=fold),
                partial(search, aspects=aspects, fold=False),
                question,
                k,
                partial(self._guide, partial(self._card_facts, opened, searcher)),
                partial(searcher.folded, roles=roles, candidates=allowed) if fold else tuple,
            )
            hits = still_standing(result.hits, moved, self.source_text)
            if lines:
                hits = self._with_lines(opened, searcher, question, hits)
        notes = (*result.notes, *help_notes, *self._notes, *self._note_on(moved))
        return msgspec.structs.replace(result, hits=hits, notes=notes, stale=moved)

    def _with_lines(
        self, opened: Opened, searcher: Searcher, question: str, hits: tuple[Hit, ...]
    ) -> tuple[Hit, ...]:
        """Returns hits with the lines of their files that answer best."""
        from hdlgraph.query.relations.evidence.quoted import quoted
        from hdlgraph.query.relations.readings.statement import from_the_start

        read = partial(self._as_indexed, opened.generation.manifest)
        return quoted(from_the_start(searcher.with_lines(question, hits, read), read), read)

    def _as_indexed(self, manifest: Manifest, path: str) -> str:
        """Returns the text of a file whose content is still the indexed one, else ""."""
        entry = manifest.files.get(path)
        if entry is None or not entry.sha256 or entry.size > MAX_BYTES:
            return ""
        return self._texts(path, entry.sha256)

    def _team_words(self) -> TeamWords | None:
        """Returns the short forms of the team's own file as it is now, None without one.

        Raises:
            SettingsError: the file of `search.abbreviations` cannot be used.
        """
        from hdlgraph.knowledge.dictionary import read_team, team_file
        from hdlgraph.query.question.team import TeamWords

        name = self.settings.search.abbreviations
        file = team_file(name, self.root, self.settings_file) if name else None
        return TeamWords(read_team(file)) if file else None

    def _guide(
        self, card_facts: Callable[[str, Sequence[Hit]], list[CardFacts]], patience_s: float | None
    ) -> Guide:
        from hdlgraph.query.assist.assisted import Guide

        return Guide(self.session, self.settings, card_facts, self.prompts, patience_s)

    def mark_tips(self, question: str) -> Callable[[str], str]:
        """Returns a function from a marked part of a line to the words by which it was found.

        It gives "" where the part has the question's own words.
        """
        from hdlgraph.query.result.tips import mark_tips

        with self._open().searching() as searcher:
            searcher.lexicon.team = self._team_words()
            return mark_tips(searcher.analyse(question), question)

    def card_facts(self, question: str, hits: Sequence[Hit]) -> list[CardFacts]:
        """Returns what the cards of hits may say, which a model orders for a question."""
        opened = self._open()
        with opened.searching() as searcher:
            return self._card_facts(opened, searcher, question, hits)

    def _card_facts(
        self, opened: Opened, searcher: Searcher, question: str, hits: Sequence[Hit]
    ) -> list[CardFacts]:
        from hdlgraph.query.assist.card_facts import card_facts

        read = partial(self._as_indexed, opened.generation.manifest)
        return card_facts(question, hits, searcher, self.explanations(), read)


def _present(
    paths: Sequence[str], candidates: Collection[str] | None, moved: Moved
) -> Collection[str] | None:
    """Returns the candidates that are still there, None where that is all files."""
    if not moved.removed:
        return candidates
    return set(paths if candidates is None else candidates) - set(moved.removed)
