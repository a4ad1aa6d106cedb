"""Answers from documents: what `Project.ask` and `Project.chat` take from passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hdlgraph.errors import EndpointError
from hdlgraph.project.documents.searching import Passages

if TYPE_CHECKING:
    from hdlgraph.model.passage import Routing
    from hdlgraph.query.answer.ask import Writer
    from hdlgraph.query.answer.chat.follow_up import Turn
    from hdlgraph.query.answer.documents.papers import Papers
    from hdlgraph.query.documents.beside import Beside
    from hdlgraph.results import Answer, SearchResult
    from hdlgraph.store.design.registers import Register

LOOKED = 8
"""Passages that an answer is made from."""


class DocumentAnswers(Passages):
    """The part of a project that answers from documents."""

    _named: tuple[tuple[int, int], dict[tuple[str, str], Register]] | None = None

    def papers(self, beside: Beside, result: SearchResult) -> Papers:
        """Returns what the documents say to a question.

        Args:
            beside: the passages of the question.
            result: its files.
        """
        from hdlgraph.query.answer.documents.fits import ALONE, DOUBTED, LEAST
        from hdlgraph.query.answer.documents.papers import Papers, PassageText
        from hdlgraph.query.result.weak import weakness

        routing = result.routing or beside.routing(result.hits)
        found = self._directed_passages(beside, "all", LOOKED, result.hits, full=True)
        known = self._register_records()
        texts = [PassageText(one, known.get((one.path, one.title))) for one in found]
        # A register whose description is gone since is told by its words alone.
        least = LEAST if result.hits else ALONE
        if result.hits and weakness(result):
            least = DOUBTED
        near = beside.nearness(beside.passages("", LOOKED, result.hits))
        return Papers(beside.view, beside.question, texts, routing, self.source_text, least, near)

    def _register_records(self) -> dict[tuple[str, str], Register]:
        """Returns the registers of the index by path and BLOCK.NAME, read once a generation."""
        from hdlgraph.store.design.registers import read_registers

        held = self._generation()
        if self._named is None or self._named[0] != held.id:
            blocks = read_registers(held.folder)
            known = {(b.path, f"{b.name}.{one.name}"): one for b in blocks for one in b.registers}
            self._named = (held.id, known)
        return self._named[1]

    def asks_routing(self, written: bool = True) -> bool:
        """Returns whether a model is asked which list a question wants first.

        Args:
            written: whether a model writes the answer.
        """
        if self.settings.llm.provider == "none" or self._documents_view() is None:
            return False
        wanted = self.settings.documents.routing
        return wanted == "model" or (wanted == "auto" and written)

    def directed(
        self, question: str, turns: Sequence[Turn] = ()
    ) -> tuple[str, Routing | None, list[str]]:
        """Returns (question that stands by itself, routing, notes), from one call of the model.

        Where that fails the routing is None and the question as it was.

        Args:
            question: as typed.
            turns: what was said before.
        """
        from hdlgraph.query.answer.documents.route import direct
        from hdlgraph.query.documents.routing import routing_of

        view = self._documents_view()
        domains = sorted({one.domain for one in view.documents if one.domain}) if view else []
        request = direct(question, turns, domains, self.settings.llm, self.prompts)
        (found,) = self.session.ask(request)
        if isinstance(found, EndpointError):
            return question, None, [f"lists ordered by cues: {found}"]
        asked = found.standalone if turns else question
        return asked, routing_of(found.kinds, found.domains), []

    def _from_documents(
        self,
        question: str,
        beside: Beside,
        model: Writer | None,
        on_text: Callable[[str], None] | None,
    ) -> Answer:
        """Returns the answer of an index that has documents alone."""
        from hdlgraph.query.answer.documents.alone import answer_from

        result = self.with_passages(self._no_files(question), "doc", None, False, beside)
        return answer_from(self.papers(beside, result), result, model, on_text)

    def _no_files(self, question: str) -> SearchResult:
        """Returns the result of a search for passages alone."""
        from hdlgraph.results import SearchResult

        manifest = self.manifest()
        moved = self._moved(manifest)
        notes = self._note_on(moved)
        return SearchResult(question, (), 0, len(manifest.files), notes=notes, stale=moved)
