"""Asking questions: `Project.ask` and `Project.chat`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from hdlgraph.errors import UsageError
from hdlgraph.project.hardware.reach import Reach
from hdlgraph.project.overview import Overviews
from hdlgraph.project.searching import Searching
from hdlgraph.settings.options import check_roles

if TYPE_CHECKING:
    from hdlgraph.index.progress import Progress
    from hdlgraph.model.passage import Routing
    from hdlgraph.query.answer.ask import Writer
    from hdlgraph.query.answer.chat.conversation import Conversation
    from hdlgraph.query.answer.context import Sources
    from hdlgraph.query.answer.direct.queries import Queries
    from hdlgraph.query.search import Searcher
    from hdlgraph.results import Answer, Hit, SearchResult


class Asking(Searching, Reach, Overviews):
    """The part of a project that answers questions in words."""

    def chat(self, **options: Any) -> Conversation:
        """Returns a conversation, in which follow-ups are understood; options as of `ask`."""
        from hdlgraph.query.answer.chat.conversation import Conversation, FollowUpModel

        check_roles(options.get("roles", ()))
        model = direct = None
        if self.settings.llm.provider != "none":
            model = FollowUpModel(self.session, self.settings.llm, self.prompts)
            direct = self.directed if self.asks_routing() else None

        def answer(
            question: str, on_text: Callable[[str], None] | None, routing: Routing | None = None
        ) -> Answer:
            routed = {} if direct is None else {"routing": routing, "route": False}
            return self.ask(question, on_text=on_text, **{**options, **routed})

        def units(question: str) -> list[str]:
            from hdlgraph.query.answer.direct.subjects import units_written

            return units_written(question, self.graph())[0]

        return Conversation(answer, model, direct, units)

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
        from hdlgraph.query.answer.direct.begin import begun
        from hdlgraph.query.answer.noted import once
        from hdlgraph.query.question.abbreviations import asks_meaning, meanings

        whole, why = self._broad_answer(question, on_text, progress, options)
        if whole is not None:
            return whole
        forms = meanings(question, self.dictionary()) if asks_meaning(question) else ()
        model = self._writer(writer or self.settings.ask.writer)
        notes = [why] if why else []
        if route and routing is None and self.asks_routing(written=model is not None):
            _, routing, routed = self.directed(question)
            notes += routed
        beside = self.beside(question, routing)
        if not self.manifest().files and beside is not None:
            return self._from_documents(question, beside, model, on_text)
        opened = self._open()
        with opened.searching() as searcher:
            result = self._beside_passages(beside, opened, question, **options)
            result = self.with_passages(result, "all", None, False, beside)
            result = msgspec.structs.replace(result, notes=(*result.notes, *notes))
            sources = self.sources()
            fact = self._relation_answer(question, result, sources, model is not None, on_text)
            if fact is not None:
                return once(fact)
            design = partial(self._design_hits, searcher, result, options)
            finish = partial(self._with_facts, question, sources)
            papers = self.papers(beside, result) if beside is not None else None
            answer = answer_question(
                *(question, result, searcher, sources, model, on_text),
                *(forms, design, finish, papers),
                begin=lambda found: begun(found, question, self._queries(), sources),
            )
            return once(answer)

    def with_passages(
        self, result: SearchResult, kind: str = "all", *rest: Any, **options: Any
    ) -> SearchResult:
        """Returns a result with its passages; where none are indexed, also what registers say."""
        import msgspec

        from hdlgraph.project.documents.searching import NONE

        found = super().with_passages(result, kind, *rest, **options)
        if kind != "register" or NONE not in found.notes:
            return found
        registers = self.registers_matching(result.question)
        return msgspec.structs.replace(
            found, notes=(*([registers] if registers else []), *found.notes)
        )

    def _queries(self) -> Queries:
        """Returns this project with what its other parts answer exactly."""
        return cast("Queries", self)

    def _with_facts(self, question: str, sources: Sources, answer: Answer) -> Answer:
        """Returns a quoted answer with what the design graph adds to it."""
        from hdlgraph.query.answer.relations import with_facts
        from hdlgraph.query.relations.tell import with_relations

        found = with_facts(answer, self.graph(), sources.read_text, question)
        return with_relations(found, sources.read_text)

    def _relation_answer(
        self,
        question: str,
        result: SearchResult,
        sources: Sources,
        written: bool,
        on_text: Callable[[str], None] | None,
    ) -> Answer | None:
        """Returns the exact answer to a question that one of the engines answers whole, or None.

        Such ask for users, parts or drivers; and where no model writes (`written`) for states,
        counts of instances, reset values, hosts, or the difference of two units.
        """
        import msgspec

        from hdlgraph.query.answer.direct.phrases import in_names

        answer = None
        for text in dict.fromkeys((question, in_names(question, self.graph()))):
            answer = self._related(text, result, sources, written)
            if answer is not None:
                answer = msgspec.structs.replace(answer, question=question)
                break
        if answer is not None and on_text:
            on_text(answer.text)
        return answer

    def _related(
        self, question: str, result: SearchResult, sources: Sources, written: bool
    ) -> Answer | None:
        """Returns the exact answer to a question as it names units; as of `_relation_answer`."""
        from hdlgraph.query.answer.direct.begin import alone
        from hdlgraph.query.question.relation import Relation, relation_of

        asked = relation_of(question)
        drivers = asked is not None and asked.relation is Relation.DRIVERS
        answer = None
        if drivers or not written:
            answer = alone(question, self._queries(), result, sources, drivers)
        if answer is None and asked is not None:
            from hdlgraph.query.answer.relations import relation_answer

            answer = relation_answer(question, asked, self.graph(), result, sources.read_text)
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
        from hdlgraph.llm.endpoint.context import served_context
        from hdlgraph.query.answer.ask import WRITERS, Writer

        if kind not in WRITERS:
            raise UsageError(f"writer {kind}: unknown; known are {', '.join(WRITERS)}")
        llm = self.settings.llm
        if kind == "extractive" or (kind == "auto" and llm.provider == "none"):
            return None
        session = self.session

        def context() -> int:
            return llm.context_tokens or served_context(session.client.endpoint, llm.query_model)

        used = session.spending.total
        return Writer(session.client, self.settings, self.notes, used, context, self.prompts)

    def notes(self, question: str, material: str) -> list[str]:
        """Returns sentences on the abbreviations of a question and its material."""
        from hdlgraph.query.question.abbreviations import abbreviation_notes

        return abbreviation_notes(question, material, self.dictionary())

    def sources(self) -> Sources:
        """Returns the texts, the explanations and the graph that answers are made from."""
        from hdlgraph.query.answer.context import Sources

        return Sources(
            *(cache(self.source_text), cache(self.explanations), cache(self.graph)),
            cache(self._machines_at),
        )
