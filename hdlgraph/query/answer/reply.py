"""Cleans a model's answer and checks its citations while it comes, so that it can be shown."""

from __future__ import annotations

import re
from collections.abc import Collection

from hdlgraph.query.answer.cite import Checker, ShownPlaces
from hdlgraph.query.answer.sanitise import neutral, parted, printable
from hdlgraph.results import Citation

MAX_HELD = 2000  # characters held back at most before they are shown
LOOK_AHEAD = 450  # characters after a sentence in which its citation may end
MIN_WORDS = 4  # of a sentence that must cite
_END = re.compile(r"[.!?:][\"'`*)\]]*[ \t]+|[ \t]*\n\s*")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|approx|resp|etc|fig|no)|(?:^|\s)\d{1,2})\.$", re.I
)
_OPEN = re.compile(r"\[[^\[\]]{0,400}$")
_CITES = re.compile(r":\s*L?\d")
_AFTER = re.compile(r"[.,;]?\s*")
_WORD = re.compile(r"[A-Za-z][\w$]+")
NOT_FOUND = re.compile(r"\W*not (?:in this repository|shown)\b", re.I)
"""How an answer begins that says there is none, and a sentence that names what is missing."""


class Reply:
    """Turns the pieces of a model's text into what may be shown.

    A sentence is held until its end and the citation after it have come. `removed` counts
    citations taken out, `uncited` sentences that state something without one, `links` links,
    images and addresses made plain.

    Args:
        shown: what the model has seen.
        known: all paths of the index.
    """

    def __init__(self, shown: ShownPlaces, known: Collection[str]) -> None:
        self._checker = Checker(shown, known)
        self._held = ""
        self._out: list[str] = []
        self._fence = False
        self._missing = False  # what follows names what is missing
        self.uncited = 0
        self.links = 0

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Returns the supported citations so far, each place once."""
        return tuple(self._checker.citations)

    @property
    def removed(self) -> int:
        """Returns how many citations were taken out so far."""
        return self._checker.removed

    @property
    def text(self) -> str:
        """Returns all that was given back so far."""
        return "".join(self._out)

    @property
    def found(self) -> bool:
        """Returns whether the text answers the question rather than say that nothing does."""
        return bool(self.text.strip()) and NOT_FOUND.match(self.text) is None

    def feed(self, piece: str) -> str:
        """Returns the text that a further piece completes, "" while a sentence is open."""
        self._held += printable(piece)
        return self._release(final=False)

    def finish(self) -> str:
        """Returns the rest of the text."""
        return self._release(final=True)

    def _release(self, final: bool) -> str:
        out = []
        while self._held:
            size = self._sentence(final)
            if not size:
                break
            text, self._held = self._held[:size], self._held[size:]
            if text[-1:].isspace() or not self._held:
                out.append(self._checked(text))
            else:  # cut inside a run without blanks: nothing may join over the cut
                out.append(self._checked(text) + "\n")
        self._out += out
        return "".join(out)

    def _sentence(self, final: bool) -> int:
        """Returns the length of the first complete sentence held, with its citation; 0 if none."""
        held = self._held
        at = 0
        while found := _END.search(held, at):
            end = at = found.end()
            if _OPEN.search(held[max(0, end - LOOK_AHEAD) : end]):
                continue  # inside a bracket
            if "\n" not in found[0] and _ABBREVIATED.search(held[: found.start() + 1][-12:]):
                continue
            whole = self._with_citations(end, final)
            return self._forced() if whole is None else whole
        return len(held) if final else self._forced()

    def _with_citations(self, end: int, final: bool) -> int | None:
        """Returns where the citations that follow a sentence end; None when more must come."""
        while True:
            rest = self._held[end : end + LOOK_AHEAD]
            if not rest:
                return end if final else None
            if self._fence or rest[0] not in "[(":
                return end
            close = rest.find("]" if rest[0] == "[" else ")")
            if close < 0:
                return end if final or len(rest) == LOOK_AHEAD else None
            if not _CITES.search(rest[:close]):
                return end
            after = _AFTER.match(rest, close + 1)
            end += after.end() if after else close + 1

    def _forced(self) -> int:
        """Returns where to cut when too much is held, else 0."""
        if len(self._held) <= MAX_HELD:
            return 0
        blank = max(self._held.rfind(" ", 0, MAX_HELD), self._held.rfind("\n", 0, MAX_HELD))
        return blank + 1 if blank > 0 else MAX_HELD

    def _checked(self, text: str) -> str:
        plain, links = neutral(text)
        self.links += links
        before = self._checker.kept
        checked = parted(self._checker.check(plain))
        fence = text.lstrip().startswith("```")
        if fence:
            self._fence = not self._fence
        elif not self._fence and self._checker.kept == before and self._states(checked):
            self.uncited += 1
        return checked

    def _states(self, text: str) -> bool:
        """Returns whether a sentence says something that a citation should support."""
        plain = text.strip()
        missing, self._missing = (
            self._missing,
            bool(NOT_FOUND.match(plain)) and plain.rstrip("*_ ").endswith(":"),
        )
        if missing or plain.startswith("#") or plain.endswith(":") or NOT_FOUND.match(plain):
            return False
        return len(_WORD.findall(plain)) >= MIN_WORDS
