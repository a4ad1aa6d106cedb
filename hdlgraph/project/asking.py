"""Asking questions: `Project.search`, `Project.ask` and `Project.chat`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.documents.answering import DocumentAnswers
from hdlgraph.project.documents.searching import check_kind
from hdlgraph.project.overview import Overviews
from hdlgraph.settings.options import check_roles

if TYPE_CHECKING:
    from hdlgraph.index.progress import Progress
    from hdlgraph.model.passage import Routing
    from hdlgraph.project.opened import Opened
    from hdlgraph.query.answer.ask import Writer
    from hdlgraph.query.answer.chat import Conversation
    from hdlgraph.query.answer.context import Sources
    from hdlgraph.query.assist.assisted import Guide
    from hdlgraph.query.assist.told import Told
    from hdlgraph.query.documents.beside import Beside
    from hdlgraph.query.question.team import TeamWords
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Answer, Hit, Moved, SearchResult
    from hdlgraph.store.manifest import Manifest

SHOWN_BYTES = 2_000_000
"""Of a larger file no lines are shown: all of it would have to be read and checked."""


class Asking(DocumentAnswers, Overviews):
    """The part of a project that answers questions in words."""

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
            result, told = search_with(
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
        notes = (*result.notes, *told, *self._notes, *self._note_on(moved))
        return msgspec.structs.replace(result, hits=hits, notes=notes, stale=moved)

    def _with_lines(
        self, opened: Opened, searcher: Searcher, question: str, hits: tuple[Hit, ...]
    ) -> tuple[Hit, ...]:
        """Returns hits with the lines of their files that answer best."""
        from hdlgraph.query.relations.readings.statement import from_the_start

        read = partial(self._as_indexed, opened.generation.manifest)
        return from_the_start(searcher.with_lines(question, hits, read), read)

    def _as_indexed(self, manifest: Manifest, path: str) -> str:
        """Returns the text of a file whose content is still the indexed one, else ""."""
        from hdlgraph.index.discover.texts import TextReader

        entry = manifest.files.get(path)
        if entry is None or not entry.sha256 or entry.size > SHOWN_BYTES:
            return ""
        return TextReader(self.root)(path, entry.sha256)

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
        self, told: Callable[[str, Sequence[Hit]], list[Told]], patience_s: float | None
    ) -> Guide:
        from hdlgraph.query.assist.assisted import Guide

        return Guide(self.session, self.settings, told, self.prompts, patience_s)

    def told(self, question: str, hits: Sequence[Hit]) -> list[Told]:
        """Returns what the cards of hits may tell, which a model orders for a question."""
        opened = self._open()
        with opened.searching() as searcher:
            return self._card_facts(opened, searcher, question, hits)

    def _card_facts(
        self, opened: Opened, searcher: Searcher, question: str, hits: Sequence[Hit]
    ) -> list[Told]:
        from hdlgraph.query.assist.told import tell

        read = partial(self._as_indexed, opened.generation.manifest)
        return tell(question, hits, searcher, self.explanations(), read)

    def chat(self, **options: Any) -> Conversation:
        """Returns a conversation, in which follow-ups are understood; options as of `ask`."""
        from hdlgraph.query.answer.chat import Conversation, FollowUpModel

        model = direct = None
        if self.settings.llm.provider != "none":
            model = FollowUpModel(self.session, self.settings.llm, self.prompts)
            direct = self.directed if self.asks_routing() else None

        def answer(
            question: str, on_text: Callable[[str], None] | None, routing: Routing | None = None
        ) -> Answer:
            routed = {} if direct is None else {"routing": routing, "route": False}
            return self.ask(question, on_text=on_text, **{**options, **routed})

        return Conversation(answer, model, direct)

    def ask(
        self,
        question: str,
        *,
        writer: str | None = None,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        routing: Routing | None = None,
        route: bool = True,
        **options: Any,
    ) -> Answer:
        """Returns an answer with citations; for a question about the whole design, its overview.

        Args:
            question: free text.
            writer: "extractive" quotes the index, "model" asks the configured model, "auto" takes
                the model where one is configured; None takes the settings.
            on_text: called with pieces of the answer as they come, all of them in order.
            progress: told where the overview has to be built first.
            routing: which of files and passages a model puts first; None leaves it open.
            route: whether a model is asked that, where the settings say so.
            **options: as of `search`.

        Raises:
            UsageError: the model is wanted and none is configured, or it refuses the key.
        """
        import msgspec

        from hdlgraph.query.answer.ask import answer_question
        from hdlgraph.query.question.abbreviations import asks_meaning, meanings

        whole, why = self._broad_answer(question, on_text, progress, options)
        if whole is not None:
            return whole
        forms = meanings(question, self.dictionary()) if asks_meaning(question) else ()
        model = self._writer(writer or self.settings.ask.writer)
        notes = [why] if why else []
        if route and routing is None and self.asks_routing(written=model is not None):
            _, routing, told = self.directed(question)
            notes += told
        beside = self.beside(question, routing)
        if not self.manifest().files and beside is not None:
            return self._from_documents(question, beside, model, on_text)
        opened = self._open()
        with opened.searching() as searcher:
            result = self._beside_passages(beside, opened, question, **options)
            result = self.with_passages(result, "all", None, False, beside)
            result = msgspec.structs.replace(result, notes=(*result.notes, *notes))
            sources = self.sources()
            fact = self._relation_answer(question, result, sources, on_text)
            if fact is not None:
                return fact
            design = partial(self._design_hits, searcher, result, options)
            finish = partial(self._with_facts, question, sources)
            papers = self.papers(beside, result) if beside is not None else None
            return answer_question(
                question, result, searcher, sources, model, on_text, forms, design, finish, papers
            )

    def _with_facts(self, question: str, sources: Sources, answer: Answer) -> Answer:
        """Returns a quoted answer with what the design graph adds to it."""
        from hdlgraph.query.answer.relations import with_facts
        from hdlgraph.query.relations.reply import with_relations

        found = with_facts(answer, self.graph(), sources.read_text, question)
        return with_relations(found, sources.read_text)

    def _relation_answer(
        self,
        question: str,
        result: SearchResult,
        sources: Sources,
        on_text: Callable[[str], None] | None,
    ) -> Answer | None:
        """Returns the graph's answer to a question for users, parts or drivers; None for others."""
        from hdlgraph.query.question.relation import relation_of

        asked = relation_of(question)
        if asked is None:
            return None
        from hdlgraph.query.answer.relations import relation_answer

        answer = relation_answer(question, asked, self.graph(), result, sources.read_text)
        if answer is not None and on_text:
            on_text(answer.text)
        return answer

    @staticmethod
    def _design_hits(
        searcher: Searcher, result: SearchResult, options: Mapping[str, Any]
    ) -> Sequence[Hit]:
        """Returns the best files that are no tests; none where files or roles were chosen."""
        from hdlgraph.query.answer.design_first import of_design

        if options.get("roles") or options.get("candidates"):
            return ()
        files = zip(searcher.lexicon.paths, searcher.lexicon.roles, strict=True)
        design = [path for path, role in files if of_design(path, role)]
        if not design:
            return ()
        return searcher.search(
            result.question, 8, result.hops, candidates=design, evidence=False
        ).hits

    def _writer(self, kind: str) -> Writer | None:
        """Returns the model that writes the answers, None where the index is quoted.

        Args:
            kind: "extractive", "model", or "auto" for the model where one is configured.

        Raises:
            UsageError: the kind is unknown, or the model is wanted and none is configured.
        """
        from hdlgraph.llm.endpoint.context import told_context
        from hdlgraph.query.answer.ask import WRITERS, Writer

        if kind not in WRITERS:
            raise UsageError(f"writer {kind}: unknown; known are {', '.join(WRITERS)}")
        llm = self.settings.llm
        if kind == "extractive" or (kind == "auto" and llm.provider == "none"):
            return None
        session = self.session

        def context() -> int:
            return llm.context_tokens or told_context(session.client.endpoint, llm.query_model)

        used = session.spending.total
        return Writer(session.client, self.settings, self.notes, used, context, self.prompts)

    def notes(self, question: str, material: str) -> list[str]:
        """Returns sentences on the abbreviations of a question and its material."""
        from hdlgraph.query.question.abbreviations import abbreviation_notes

        return abbreviation_notes(question, material, self.dictionary())

    def sources(self) -> Sources:
        """Returns the texts, the explanations and the graph that answers are made from."""
        from hdlgraph.query.answer.context import Sources

        return Sources(cache(self.source_text), cache(self.explanations), cache(self.graph))


def _present(
    paths: Sequence[str], candidates: Collection[str] | None, moved: Moved
) -> Collection[str] | None:
    """Returns the candidates that are still there, None where that is all files."""
    if not moved.removed:
        return candidates
    return set(paths if candidates is None else candidates) - set(moved.removed)
