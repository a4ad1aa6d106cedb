"""Collects what a model is shown for a question: explanations, code and graph edges, in a budget.

A place stands before or in whatever is shown, so that every claim can cite one, and is taken down,
so that the citation can be checked. The best file comes last: models read the ends best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hdlgraph.graph.graph import Graph
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import Explanation, Location, NodeKind
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.slices import Block, SourceText, Wanted, choose
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question, analyse
from hdlgraph.results import Hit, SearchResult

MARK = "material"
"""Name of the marks around the material in the prompt."""
SHARES = (0.36, 0.18, 0.13, 0.10, 0.08, 0.06, 0.05, 0.04)
"""Share of the budget of each file by rank; what a file does not need goes to the next ones."""
TOLD = 0.35  # most of a file's share for its explanation
WALKS = 3  # edges shown of one file
LEAST = 60  # tokens below which a file is left out
FRAME = 12  # tokens of the line before a file and the blank one after it
PIECES = frozenset(
    str(kind) for kind in (NodeKind.INSTANCE, NodeKind.FUNCTION, NodeKind.TASK, NodeKind.TYPE)
)
"""Graph nodes whose lines are best shown together."""
_WALK = re.compile(r"(?P<said>.*)\((?P<path>.+):(?P<line>\d+)\)", re.S)
_CHAT_TOKEN = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,40}[|｜]>|/?s>|<?/?SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])", re.I
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts and explanations that the material is made of.

    `read_text` gives a file's text ("" when it cannot be read), `explanations` the explanation of
    every file by path, `blocks` the (line, end_line) of a file's routines, instances and types.
    """

    read_text: Callable[[str], str]
    explanations: Callable[[], Mapping[str, Explanation]]
    blocks: Callable[[str], Iterable[Block]] = lambda path: ()


@dataclass(frozen=True, slots=True)
class Context:
    """What is shown: the text between the marks, its places, and its files, best first."""

    text: str
    shown: ShownPlaces
    files: tuple[str, ...]
    tokens: int


def blocks_of(graph: Graph) -> Callable[[str], list[Block]]:
    """Returns a function from path to the (line, end_line) of its nodes of more than one line."""
    found: dict[str, list[Block]] = {}
    columns = [graph.nodes.column(name) for name in ("path", "line", "end_line", "kind")]
    for path, line, end_line, kind in zip(*columns, strict=True):
        if end_line > line and kind in PIECES:
            found.setdefault(path, []).append((line, end_line))
    return lambda path: found.get(path, [])


def wanted_terms(question: Question, lexicon: Lexicon) -> Wanted:
    """Returns the question's terms and expansions with their worth, the rarer the more."""
    found: dict[str, tuple[int, float]] = {}
    for number, group in enumerate(question.groups):
        worth = lexicon.group_idf(group, "post")
        for term, weight in group.members:
            if term not in found or found[term][1] < worth * weight:
                found[term] = (number, worth * weight)
    return found


def safe(text: str) -> str:
    """Returns text that closes no marks and holds no chat template's own tokens."""
    return _CHAT_TOKEN.sub(lambda found: found[0] + "\u00b7", quoted(text, MARK))


def build_context(
    question: str,
    result: SearchResult,
    lexicon: Lexicon,
    sources: Sources,
    budget: int,
) -> Context:
    """Returns the material for a question, at most `budget` tokens long."""
    wanted = wanted_terms(analyse(question, lexicon), lexicon)
    shown = ShownPlaces()
    parts: list[tuple[str, str]] = []
    left = budget
    hits = result.hits[: len(SHARES)]
    for place, hit in enumerate(hits):
        share = SHARES[place] / sum(SHARES[place : len(hits)])
        text = _Part(hit, wanted, sources, shown).text(int(left * share))
        if text:
            parts.append((hit.path, text))
            left -= count_tokens(text) + FRAME
    total = len(parts)
    texts = [
        f"File {total - n} of {total} by relevance: {text}"
        for n, (_, text) in enumerate(reversed(parts))
    ]
    text = "\n\n".join(texts)
    return Context(text, shown, tuple(path for path, _ in parts), count_tokens(text))


class _Part:
    """What is shown of one file."""

    def __init__(self, hit: Hit, wanted: Wanted, sources: Sources, shown: ShownPlaces) -> None:
        self.hit = hit
        self.sources = sources
        self.shown = shown
        self.wanted = wanted
        self.source = SourceText(sources.read_text(hit.path), sources.blocks(hit.path))

    def text(self, budget: int) -> str:
        """Returns the explanation, the walks and the code within a budget; "" if none fits."""
        path = self.hit.path
        head = f"{safe(one_line(path, 400))}\n"
        left = budget - count_tokens(head) - FRAME
        if left < LEAST or not self.source.text.strip():
            return ""
        told = self._explanation(int(left * TOLD))
        walks = self._walks(left - count_tokens(told))
        left -= count_tokens(told) + count_tokens(walks)
        code = self._code(left - 16)
        return head + "".join(part for part in (told, walks, code) if part).rstrip()

    def _explanation(self, budget: int) -> str:
        told = self.sources.explanations().get(self.hit.path)
        text = f"{told.purpose} {told.behaviour}" if told else self.hit.summary
        line = self.source.unit_line
        place = Location(self.hit.path, line)
        head = f"Description [{place}]: "
        clipped = clip_tokens(safe(" ".join(text.split())), budget - count_tokens(head) - 2)
        if len(clipped.split()) < 4:
            return ""
        if len(clipped) < len(" ".join(text.split())):
            end = max(clipped.rfind(". "), clipped.rfind("; "))
            clipped = clipped[: end + 1] if end > len(clipped) // 2 else clipped + " …"
        self._took(self.hit.path, line, line, len(self.source.lines))
        return f"{safe(head)}{clipped}\n"

    def _walks(self, budget: int) -> str:
        steps = dict.fromkeys(step for e in self.hit.evidence for step in e.walk)
        out = ""
        for step in list(steps)[:WALKS]:
            found = _WALK.fullmatch(step)
            if not found:
                continue
            path, line = found["path"], int(found["line"])
            lines = SourceText(self.sources.read_text(path)).lines
            if not 1 <= line <= len(lines):
                continue
            place, code = Location(path, line), one_line(lines[line - 1], 120)
            said = safe(f"Link [{place}]: {one_line(found['said'], 200)}: {code}") + "\n"
            if count_tokens(out + said) > budget // 4:
                break
            out += said
            self._took(path, line, line, len(lines))
        return out

    def _code(self, budget: int) -> str:
        anchors = [
            e.line
            for e in self.hit.evidence
            if e.path == self.hit.path and e.line > 1 and e.kind in ("identifier", "dense")
        ]
        slices = choose(
            self.source, self.wanted, anchors, budget, lambda text: count_tokens(text) + 5
        )
        if not slices:
            return ""
        out = ["Code, each line after its number:"]
        before = 0
        for part in slices:
            if part.line > before + 1:
                out.append("     ...")
            out.append(safe(part.numbered()))
            before = part.end_line
            self._took(self.hit.path, part.line, part.end_line, len(self.source.lines))
        return "\n".join(out)

    def _took(self, path: str, line: int, end_line: int, length: int) -> None:
        self.shown.add(path, line, end_line, length)
