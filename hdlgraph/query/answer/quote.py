"""Writes an answer without a language model: what the question asks for, quoted from the sources.

What the question asks for decides what is shown of the best file: states and transitions, reset
values, parameters, ports, instances, or the statements that have most of its words. Every cited
sentence stands on the lines it cites, word for word or as a fact that these lines state; what is
only described is never cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.anchors import anchors_of
from hdlgraph.query.answer.comments import Sentence, plain_sentence, readable, sentences
from hdlgraph.query.answer.context import Sources, wanted_terms
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.excerpts import is_large, read_closely
from hdlgraph.query.answer.material.collect import Material
from hdlgraph.query.answer.material.shape import DOUBTFUL, QUOTED, USERS
from hdlgraph.query.answer.order import FILES, in_doubt, in_order
from hdlgraph.query.answer.page import NOTHING, Page
from hdlgraph.query.answer.passages.logic import covered
from hdlgraph.query.answer.passages.more import More
from hdlgraph.query.answer.passages.nearest import Meaning, nearest
from hdlgraph.query.answer.passages.sections import SECTIONS, statements
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.question.aims import SIZES, Aim, aim_words, aims_of
from hdlgraph.query.question.analyse import Question, analyse
from hdlgraph.query.question.relation import asks_users
from hdlgraph.query.search import Searcher
from hdlgraph.results import Answer, Hit, SearchResult

AMONG = 8  # first hits that the files told of are taken from
FACTS = 30  # lines of what was asked for: states, reset values, parameters, ports, instances
STATE_FACTS = 40  # the same where states are asked for
USER_FACTS = 8  # the same where its users are asked for, which come first
PORTS = 8  # lines of ports where the question asks when something happens
FURTHER_FACTS = 12  # the same of each further file
ROOM = 1900  # tokens of an answer
DOUBT_ROOM = 2700  # the same where the search is unsure, for several files
PORT_ROOM = 900  # the same where nothing but ports is asked for
PORT_LEAST = 250
USER_ROOM = 1000  # the same where users are asked for, which come before
LEAST_ROOM = 700  # of these at least are for statements
DOUBT_FACTS = 9  # lines of what was asked for of a further file where the search is unsure
DOUBT_LEAST = 1300  # the same where the search is unsure
PER_CHARACTER = 0.34  # tokens
ADDING = 3  # lines of code of a further file, fewer are not worth their heading
COMPARED = 10  # sentences compared with the question in meaning for the one that is quoted
AS_GOOD = 0.9  # share from which a further file may be the one that is meant
AIM_WORDS = 0.2  # of the worth of a word that only says what is asked for
_WORD = re.compile(r"[a-z_`$][\w$]*")
_CLAUSE = re.compile(r"[,;?]\s")
_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_BARE = re.compile(
    r"(?:(?:Testbench|Formal|Generated|Vendored) )?"
    r"(?:module|class|package|interface|program|checker|primitive|header|include|file"
    r"|used (?:as|by)|part of|in [\w ]+:|instantiate[sd] |a state machine in |computes |decodes )"
    r"|(?:in `[^`]+`: )?(?:packs|takes apart|multiplies|divides|adds|subtracts|compares|selects"
    r"|chooses|detects|counts|keeps in|reads|drives|passes|toggles|stores|shifts|extends)\b"
    r"[^`.]{0,40}`",
    re.I,
)
"""Beginnings of the built-in explainer's sentences that only name a unit, not what it is for."""

_DEPENDS = re.compile(
    r"(?:otherwise|however|therefore|thus|hence|but|then|else|instead|consequently)\b", re.I
)
"""Beginnings of sentences that say nothing without the one before them."""


def extractive_answer(
    searcher: Searcher,
    question: str,
    result: SearchResult,
    sources: Sources,
    weak: str = "",
    design_hits: Callable[[], Sequence[Hit]] = tuple,
) -> Answer:
    """Returns an answer quoted from the sources of the best hits.

    Args:
        searcher: the searcher that made `result`.
        question: the user's question.
        result: its ranked files, with evidence.
        sources: texts and explanations of the files, and the graph.
        weak: why the evidence is too weak to answer from, "" when it is not.
        design_hits: gives the best files of the design alone, for a question whose best hits are
            tests.
    """
    if not result.hits:
        text = "No file of this index matches the question."
        return Answer(question, text, (), result, found=False, weak=weak or "no file matches")
    asked = analyse(question, searcher.lexicon)
    writer = _Writer(searcher, asked, question, sources)
    if weak:
        first = result.hits[0]
        writer.page.add(f"{NOTHING}{weak}. Nearest is {first.path}.")
        writer.describe(first.path, first.summary)
        writer.more.absent(writer.page, [hit.path for hit in result.hits[:AMONG]])
    else:
        hits = list(result.hits[:AMONG])
        if not asked.verification:
            if sum(of_design(hit.path, hit.role) for hit in hits) < FILES:
                hits += [hit for hit in design_hits() if hit.path not in {h.path for h in hits}]
            hits.sort(key=lambda hit: not of_design(hit.path, hit.role))
        views = writer.ordered(hits, in_doubt(result))
        writer.write(views, hits)
        writer.more.names(writer.page, [view.path for view in views])
        writer.more.parts(writer.page, views, writer.answered)
        writer.note_cut()
    page = writer.page
    return Answer(question, page.text, tuple(page.citations), result, found=not weak, weak=weak)


class _Writer:
    """Writes one answer."""

    def __init__(
        self,
        searcher: Searcher,
        asked: Question,
        question: str,
        sources: Sources,
    ) -> None:
        self.page = Page()
        self._wanted = _weighed(wanted_terms(asked, searcher.lexicon), aims_of(question))
        self._question_words = frozenset(_WORD.findall(question.lower()))
        self.more = More(searcher.lexicon, question, self._wanted, sources)
        self._meaning = Meaning(searcher, question)
        self._lexicon, self._sources, self._asked = searcher.lexicon, sources, asked
        self._doubt = False
        self._cut: dict[str, None] = {}
        self._for_users = asks_users(_CLAUSE.split(question)[0])
        self._aims = frozenset(aims_of(question))
        one = not _CLAUSE.search(question.strip()) and " and " not in question
        self._for_ports = one and self._aims == {Aim.INTERFACE, Aim.GENERAL}
        self._open: list[Aim] = [aim for aim in aims_of(question) if aim is not Aim.GENERAL]
        if Aim.STATES in self._open and Aim.INTERFACE in self._open:
            self._open.remove(Aim.INTERFACE)  # what enters or leaves a state is called so as well

    @property
    def answered(self) -> frozenset[Aim]:
        """Returns what was asked for and is shown whole."""
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
        text = self._sources.read_text(path)
        if is_large(text):
            self._cut[path] = None
        return FileView(
            *(
                path,
                read_closely(text, anchors, self._wanted),
                self._wanted,
                aims,
                anchors,
                self._question_words,
            ),
            partial(self._sources.machines, path),
        )

    def ordered(self, hits: Sequence[Hit], doubt: bool = False) -> list[FileView]:
        """Returns the files to describe, the one that is likeliest meant first.

        Where the search is in doubt, several are told of in a few lines each.
        """
        views = [self.view(hit) for hit in hits]
        if (path := self.more.declaring([hit.path for hit in hits])) is not None:
            views = [self._viewed(path), *(view for view in views if view.path != path)]
        scores = {hit.path: hit.score for hit in hits if hit.path != path}
        is_clear = any(view.is_meant for view in views[:1]) or self.more.named
        self._doubt = doubt and not is_clear and not self._for_users
        verification = self._asked.verification
        return in_order(views, self._question_words, self._open, verification, scores, self._doubt)

    def note_cut(self) -> None:
        """Adds which files were read in part alone."""
        if self._cut:
            names = [*self._cut]
            more = f" and {len(names) - 1} more" if names[1:] else ""
            self.page.add(
                f"Of very long files ({names[0]}{more}) only the units around the lines that fit "
                "best were read closely."
            )

    def write(self, views: Sequence[FileView], hits: Sequence[Hit]) -> None:
        """Adds what the files answer: what was asked for, then the statements that say most."""
        facts = {}
        for number, view in enumerate(views):
            if number and (self._doubt or covered(view) >= AS_GOOD * covered(views[0])):
                self.reopen(Aim.STATES)
            if number and self._doubt and self._for_ports:
                self.reopen(Aim.INTERFACE)
            facts[view.path] = self._facts(view, number)
        chars = sum(len(line) for lines in facts.values() for line in lines)
        most = DOUBT_ROOM if self._doubt else ROOM
        least = DOUBT_LEAST if self._doubt else LEAST_ROOM
        if self._for_ports:
            most, least = PORT_ROOM, PORT_LEAST
        room = USER_ROOM if self._for_users else max(most - int(chars * PER_CHARACTER), least)
        material = Material(
            *(
                self._asked,
                self._wanted,
                hits,
                self._lexicon,
                self._sources,
                room,
                USERS if self._for_users else DOUBTFUL if self._doubt else QUOTED,
            ),
            paths=[view.path for view in views],
        )
        for part in material.parts:
            own = {number for path, number in self.page.shown if path == part.file.path}
            part.selector.taken.lines |= own
        material.fill()
        known = {view.path: view for view in views}
        for number, part in enumerate(material.parts):
            path = part.file.path
            if path not in known and not of_design(views[0].path):
                continue  # what a test is made of
            view = known.get(path) or self._viewed(path)
            self._write(view, number, facts.get(path, []), part.selector.taken.lines)

    def _facts(self, view: FileView, number: int) -> list[str]:
        """Returns what the question asks for and no earlier file gave."""
        before = len(self.page.lines)
        most = STATE_FACTS if Aim.STATES in self._open else FACTS
        further = DOUBT_FACTS if self._doubt else FURTHER_FACTS
        lines = further if number else USER_FACTS if self._for_users else most
        for aim in list(self._open):
            left = lines - (len(self.page.lines) - before)
            if aim is Aim.INTERFACE and Aim.WHEN in self._aims:
                left = min(left, PORTS)  # what happens is asked, on ports that it names
            if left >= 3 and SECTIONS[aim](self.page, view, left):
                self._open.remove(aim)
        found = self.page.lines[before:]
        del self.page.lines[before:]
        return found

    def _write(
        self, view: FileView, number: int, facts: Sequence[str], chosen: Collection[int]
    ) -> None:
        """Adds a file: its name, what it is for, what was asked for, and the chosen lines."""
        head = len(self.page.lines)
        self.page.add()
        unit = self._unit(view)
        name = f"{view.path}, {unit.word} {unit.name}" if unit else view.path
        self.page.add(f"{'Also' if number else 'Most likely'} {name}:")
        top = len(self.page.lines)
        if not number or self._doubt:
            self._describe_unit(view, unit)
        place = len(self.page.lines)
        self.page.lines += facts
        fresh = [n for n in chosen if (view.path, n) not in self.page.shown and view.is_code(n)]
        if not number or facts or len(fresh) >= ADDING:
            statements(self.page, view, chosen)
        if not number:
            self._say(view, place)
        if len(self.page.lines) == top:
            del self.page.lines[head:]
            if not number:
                self.page.add(f"Most likely {name}.")

    @staticmethod
    def _unit(view: FileView) -> Statement | None:
        """Returns the unit of a file that the question is nearest to, None where it has none."""
        scored = [(sum(view.worth_of(u.name).values()), -n, u) for n, u in enumerate(view.units)]
        return max(scored, key=lambda one: one[:2])[2] if scored else None

    def _describe_unit(self, view: FileView, unit: Statement | None) -> None:
        """Adds what a unit is for; of several in a file the comment above it says so."""
        stem = view.path.rpartition("/")[2].partition(".")[0]
        if unit is None or len(view.units) < 2 or unit.name == stem:
            self.describe(view.path)
            return
        above = range(view.above(unit), unit.line)
        for one in sentences(view.source):
            if one.line in above and one.end_line in above and readable(one.text):
                cited = self.page.cite(view.path, one.line, one.end_line)
                self.page.add(f"Described as: {_closed(plain_sentence(one.text))} {cited}")
                return
        explanation = self._sources.explanations().get(view.path)
        others = {one.name for one in view.units} - {unit.name}
        if explanation and explanation.purpose.partition(":")[0] not in others:
            self.describe(view.path)

    def describe(self, path: str, text: str = "") -> bool:
        """Adds what a file is for, where an explanation says more than its name; uncited."""
        explanation = self._sources.explanations().get(path)
        text = explanation.purpose if explanation else text
        parts = [s.strip() for s in _END.split(" ".join(text.split())) if s.strip()]
        useful = [s for s in parts if not (_BARE.match(s) or _DEPENDS.match(s)) and readable(s)]
        if not useful or not self.page.new(useful[0]):
            return False
        self.page.add(f"Described as: {_closed(useful[0])}")
        return True

    def _say(self, view: FileView, place: int) -> None:
        """Adds the sentence of the file's comments nearest to the question if no code has it."""
        for one in self._nearest(view)[:1]:
            if not self._is_prose(view, one):
                continue
            text = plain_sentence(one.text)
            if self.page.new(text) and not self._is_shown(view, one):
                text_cited = f"{_closed(text)} {self.page.cite(view.path, one.line, one.end_line)}"
                self.page.lines.insert(place, text_cited)

    @staticmethod
    def _is_prose(view: FileView, one: Sentence) -> bool:
        """Returns whether a sentence is not on the code beside it, and no rest of another one."""
        return not view.is_code(one.line) and plain_sentence(one.text)[:1].isupper()

    def _is_shown(self, view: FileView, one: Sentence) -> bool:
        numbers = range(one.line, one.end_line + 1)
        return any((view.path, number) in self.page.shown for number in numbers)

    def _nearest(self, view: FileView) -> list[Sentence]:
        """Returns the sentences of the file's comments that are nearest to the question."""
        offered = sentences(view.source)
        fits = partial(self._is_prose, view)
        find = partial(nearest, self._meaning, offered, self._wanted, 1, COMPARED, fits)
        return view.kept("nearest", find)


def _weighed(wanted: Wanted, aims: Sequence[Aim]) -> Wanted:
    """Returns the terms, those that only say what is asked for worth little, sizes as named."""
    own = aim_words(aims)
    found = {t: (n, worth * (AIM_WORDS if t in own else 1.0)) for t, (n, worth) in wanted.items()}
    most = max((worth for _, worth in found.values()), default=0.0)
    for size, named in SIZES.items():
        if size in found:  # "how deep" hardly stands in a source, "depth" does
            found[named] = (found[size][0], most)
    return found


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else text.rstrip(";,") + "."
