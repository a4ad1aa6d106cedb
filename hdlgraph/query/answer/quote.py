"""Writes an answer without a language model: what the question asks for, quoted from the sources.

What the question asks for decides what is shown of the best file: states and transitions, reset
values, parameters, ports, instances, or the statements that have most of its words. Every cited
sentence stands on the lines it cites, word for word or as a fact that these lines state; what is
only described is never cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hdlgraph.model import Explanation
from hdlgraph.query.answer.anchors import anchors_of
from hdlgraph.query.answer.comments import Sentence, plain_sentence, readable, sentences
from hdlgraph.query.answer.context import wanted_terms
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.logic import covered
from hdlgraph.query.answer.passages.more import More
from hdlgraph.query.answer.passages.sayings import Meaning, nearest
from hdlgraph.query.answer.passages.sections import SECTIONS, logic
from hdlgraph.query.answer.passages.sides import side_first
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.question.aims import SIZES, Aim, aim_words, aims_of
from hdlgraph.query.question.analyse import Question, analyse
from hdlgraph.query.question.relation import asks_users
from hdlgraph.query.search import Searcher
from hdlgraph.results import Answer, Hit, SearchResult

FILES = 3  # that an answer tells of
AMONG = 8  # first hits that they are taken from
FACTS = 30  # lines of what was asked for: states, reset values, parameters, ports, instances
STATE_FACTS = 40  # the same where states are asked for
USER_FACTS = 8  # the same where its users are asked for, which come first
FIRST_ROOM = 4400  # characters of the first file, those of what was asked for among them
LEAST_ROOM = 1500  # of these at least are for statements
USER_ROOM = 1500  # characters of the first file where its users are asked for
SECOND_ROOM = 1300  # characters of the second file where it is worth nearly as much
FURTHER_ROOM = 500  # of each other file
FURTHER_FACTS = 12  # lines
COMPARED = 10  # sentences compared with the question in meaning for each that is quoted
SECOND = 0.5  # share of the first file's worth that it has then
SAID = 1  # sentence quoted from a file's comments
AS_GOOD = 0.9  # share from which a further file may be the one that is meant
ADDING = 0.7  # share of what the best file is worth, from which a further one is told of
AIM_WORDS = 0.2  # of the worth of a word that only says what is asked for
GENERATED_FOR = frozenset({Aim.RESET, Aim.CONFIGURE, Aim.INTERFACE})
"""What generated files, such as those of registers, may answer before others."""
_WORD = re.compile(r"[a-z_`$][\w$]*")
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_BARE = re.compile(
    r"(?:(?:Testbench|Formal|Generated|Vendored) )?"
    r"(?:module|class|package|interface|program|checker|primitive|header|include|file"
    r"|used (?:as|by)|part of|in [\w ]+:|instantiate[sd] |a state machine in |computes |decodes )",
    re.I,
)
"""Beginnings of the built-in explainer's sentences that only name a unit, not what it is for."""


def extractive_answer(
    searcher: Searcher,
    question: str,
    result: SearchResult,
    read_text: Callable[[str], str],
    explanations: Callable[[], Mapping[str, Explanation]] = dict,
    weak: str = "",
    design_hits: Callable[[], Sequence[Hit]] = tuple,
) -> Answer:
    """Returns an answer quoted from the sources of the best hits.

    Args:
        searcher: the searcher that made `result`.
        question: the user's question.
        result: its ranked files, with evidence.
        read_text: gives a file's text ("" when it cannot be read any more).
        explanations: gives the explanation of every file, by path.
        weak: why the evidence is too weak to answer from, "" when it is not.
        design_hits: gives the best files of the design alone, for a question whose best hits are
            tests.
    """
    if not result.hits:
        text = "No file of this index matches the question."
        return Answer(question, text, (), result, found=False, weak=weak or "no file matches")
    asked = analyse(question, searcher.lexicon)
    writer = _Writer(searcher, asked, question, read_text, explanations)
    if weak:
        first = result.hits[0]
        writer.page.add(f"Nothing in this index fits well: {weak}. Nearest is {first.path}.")
        writer.describe(first.path, first.summary)
    else:
        hits = list(result.hits[:AMONG])
        if not asked.verification:
            if sum(of_design(hit.path, hit.role) for hit in hits) < FILES:
                hits += [hit for hit in design_hits() if hit.path not in {h.path for h in hits}]
            hits.sort(key=lambda hit: not of_design(hit.path, hit.role))
        views = writer.ordered(hits)
        for number, view in enumerate(views):
            if number and covered(view) >= AS_GOOD * covered(views[0]):
                writer.reopen(Aim.STATES)
            writer.tell(view, number)
        writer.more.names(writer.page, [view.path for view in views])
        writer.more.parts(writer.page, views, writer.answered)
    page = writer.page
    return Answer(question, page.text, tuple(page.citations), result, found=not weak, weak=weak)


class _Writer:
    """Writes one answer."""

    def __init__(
        self,
        searcher: Searcher,
        asked: Question,
        question: str,
        read_text: Callable[[str], str],
        explanations: Callable[[], Mapping[str, Explanation]],
    ) -> None:
        self.page = Page()
        self._wanted = _weighed(wanted_terms(asked, searcher.lexicon), aims_of(question))
        self._said = frozenset(_WORD.findall(question.lower()))
        self.more = More(searcher.lexicon, question, self._wanted, read_text)
        self._meaning = Meaning(searcher, question)
        self._read, self._explanations = read_text, explanations
        self._verification = asked.verification
        self._first = 0.0  # worth of the first file
        self._for_users = asks_users(question)
        self._aims = frozenset(aims_of(question))
        self._open: list[Aim] = [aim for aim in aims_of(question) if aim is not Aim.GENERAL]

    @property
    def answered(self) -> frozenset[Aim]:
        """Returns what was asked for and is told whole."""
        return frozenset({Aim.STATES, Aim.INTERFACE} & self._aims) - frozenset(self._open)

    def reopen(self, aim: Aim) -> None:
        """Lets a further file answer what the first has, where both fit the question as well."""
        if aim in self._aims and aim not in self._open:
            self._open.insert(0, aim)

    def view(self, hit: Hit) -> FileView:
        """Returns the file of a hit."""
        return self._viewed(hit.path, anchors_of(hit))

    def _viewed(self, path: str, anchors: Sequence[int] = ()) -> FileView:
        aims = (*self._open, Aim.GENERAL)
        return FileView(path, self._read(path), self._wanted, aims, anchors, self._said)

    def ordered(self, hits: Sequence[Hit]) -> list[FileView]:
        """Returns the files to tell of in the order of the ranking; copies are left out.

        Files whose own name says most of the question come first.
        Files of classes alone, which are never part of a design, come last.
        """
        views = [self.view(hit) for hit in hits]
        views.sort(key=lambda view: not view.is_meant)
        if (path := self.more.declaring([hit.path for hit in hits])) is not None:
            views = [self._viewed(path), *(view for view in views if view.path != path)]
        if not self._verification:
            views.sort(key=FileView.is_bench)
            if not GENERATED_FOR.intersection(self._open):
                views.sort(key=FileView.is_generated)
        views = side_first(views, self._said, lambda view: view.path, covered)
        texts: set[str] = set()
        kept = []
        for view in views:
            plain = "".join(view.source.text.split())
            if plain and plain not in texts:
                texts.add(plain)
                kept.append(view)
        kept = kept[:FILES]
        most = max(map(covered, kept), default=0.0)
        told = (v for v in kept[1:] if covered(v) >= ADDING * most or self._named_in(v))
        return [*kept[:1], *told]

    def _named_in(self, view: FileView) -> bool:
        """Returns whether the question writes the name of a file or of one of its units."""
        stem = view.path.rpartition("/")[2].partition(".")[0]
        return view.names(n for n in (stem, *(u.name for u in view.units)) if "_" in n)

    def tell(self, view: FileView, number: int) -> None:
        """Adds what a file answers; of a further file only what is new."""
        head = len(self.page.lines)
        self.page.add()
        self.page.add(f"{'Also' if number else 'Most likely'} {self._named(view)}:")
        top = len(self.page.lines)
        self._first = self._first if number else covered(view)
        shown = self._sections(view, number)
        sections = self.page.lines[top:]
        del self.page.lines[top:]
        said = self._say(view, 0 if number else SAID)
        if not number:
            said = self.describe(view.path) or said
        self.page.lines += sections
        if not shown and not said:
            del self.page.lines[head:]
            if not number:
                self.page.add(f"Most likely {self._named(view)}.")

    def _named(self, view: FileView) -> str:
        """Returns the path of a file with the unit that the question is nearest to."""
        scored = [(sum(view.worth_of(u.name).values()), -n, u) for n, u in enumerate(view.units)]
        if not scored:
            return view.path
        unit = max(scored, key=lambda one: one[:2])[2]
        return f"{view.path}, {unit.word} {unit.name}"

    def describe(self, path: str, text: str = "") -> bool:
        """Adds what a file is for, where an explanation says more than its name; uncited."""
        told = self._explanations().get(path)
        text = told.purpose if told else text
        parts = [s.strip() for s in _END.split(" ".join(text.split())) if s.strip()]
        useful = [s for s in parts if not _BARE.match(s) and readable(s)]
        if not useful or not self.page.new(useful[0]):
            return False
        self.page.add(f"Described as: {_closed(useful[0])}")
        return True

    def _say(self, view: FileView, count: int) -> bool:
        """Adds the sentences of the file's comments that are nearest to the question."""
        best = self._nearest(view)[:count]
        said = False
        for one in sorted(best, key=lambda s: s.line):
            lines = range(one.line, one.end_line + 1)
            if one is not best[0] and all((view.path, n) in self.page.shown for n in lines):
                continue  # it stands in the code below
            text = plain_sentence(one.text)
            if text and self.page.new(text):
                self.page.state(_closed(text), view.path, one.line, one.end_line)
                said = True
        return said

    def _nearest(self, view: FileView) -> list[Sentence]:
        """Returns the sentences of the file's comments that are nearest to the question."""
        said = sentences(view.source)
        find = partial(nearest, self._meaning, said, self._wanted, SAID, COMPARED)
        return view.kept("nearest", find)

    def _sections(self, view: FileView, number: int) -> bool:
        """Adds what the question asks for and no earlier file gave, then statements."""
        before = len(self.page.lines)
        view.said = self._nearest(view)
        most = STATE_FACTS if Aim.STATES in self._open else FACTS
        lines = FURTHER_FACTS if number else USER_FACTS if self._for_users else most
        for aim in list(self._open):
            left = lines - (len(self.page.lines) - before)
            if left < 3:
                continue
            if SECTIONS[aim](self.page, view, left):
                self._open.remove(aim)
        used = sum(map(len, self.page.lines[before:]))
        logic(self.page, view, max(self._room(view, number) - used, 0 if number else LEAST_ROOM))
        return len(self.page.lines) > before

    def _room(self, view: FileView, number: int) -> int:
        """Returns the characters that a file may have."""
        if number == 1 and covered(view) >= SECOND * self._first:
            return SECOND_ROOM
        if number:
            return FURTHER_ROOM
        return USER_ROOM if self._for_users else FIRST_ROOM


def _weighed(wanted: Wanted, aims: Sequence[Aim]) -> Wanted:
    """Returns the terms, those that only say what is asked for worth little, sizes as named."""
    own = aim_words(aims)
    found = {t: (n, worth * (AIM_WORDS if t in own else 1.0)) for t, (n, worth) in wanted.items()}
    most = max((worth for _, worth in found.values()), default=0.0)
    for said, named in SIZES.items():
        if said in found:  # "how deep" hardly stands in a source, "depth" does
            found[named] = (found[said][0], most)
    return found


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else text.rstrip(";,") + "."
