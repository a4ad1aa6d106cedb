"""Records that leave the program: hits, answers, reports; their JSON forms are documented.

Paths are POSIX and relative to the repository root; lines are 1-based. docs/json.md has the keys.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model.passage import DocumentsReport, Passage, Routing


class Evidence(msgspec.Struct, frozen=True):
    """One reason for a hit.

    `kind`: relation, identifier, lexical, phrase, passage, dense, structure, graph, role. `walk`
    lists the edges from the seed to the file, each as "source -KIND-> target (path:line)"; of
    a relation it is what the edge says, with its place; empty for direct matches.
    """

    kind: str
    path: str
    line: int
    text: str
    score: float = 0.0
    walk: tuple[str, ...] = ()


class SourceLine(msgspec.Struct, frozen=True):
    """A line of a file as it was indexed, without white space at its ends.

    `marks` are the words that match the question, as [start, end) in characters of `text`, sorted;
    a long line is cut to the part around them, with `…` where something is left out.
    """

    line: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Hit(msgspec.Struct, frozen=True):
    """A ranked file; `rank` from 1, `score` higher is better (not a probability).

    `copies` are the files that are nearly the same and were folded into this hit, sorted. `lines`
    are the source lines that say most about the question, the best first. `why` tells in words
    what speaks for the file, the strongest reason first; `evidence` has it in detail.
    """

    rank: int
    path: str
    line: int
    score: float
    role: str = ""
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()
    copies: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()
    why: tuple[str, ...] = ()


LISTED = 50
"""Paths of one kind that an answer lists of what moved since the index was made."""


class Moved(msgspec.Struct, frozen=True):
    """Which files of a repository differ from what the index holds of them; sorted paths.

    `unchecked` counts files of another time whose content was not compared, as there were too
    many of them; `root_missing` says that the whole repository is not there.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchecked: int = 0
    root_missing: bool = False

    @property
    def any(self) -> bool:
        """Returns whether the index is behind its repository, as far as that was looked at."""
        return bool(self.added or self.changed or self.removed or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object, at most LISTED paths of each kind in it."""
        kinds = {"added": self.added, "changed": self.changed, "removed": self.removed}
        listed: dict[str, Any] = {kind: list(paths[:LISTED]) for kind, paths in kinds.items()}
        more = sum(max(0, len(paths) - LISTED) for paths in kinds.values())
        return {**listed, "unchecked": self.unchecked, "more": more}

    def note(self, root: str) -> str:
        """Returns a sentence for people, "" where nothing moved."""
        if self.root_missing:
            return f"the repository {root} is not there; what is said of it is as it was indexed"
        said = self.told()
        if not said:
            return ""
        return f"the index is older than its files: {said}; run `hdlgraph index {root}`"

    def told(self) -> str:
        """Returns which files moved, in words, "" where none did."""
        kinds = (("changed", self.changed), ("removed", self.removed), ("new", self.added))
        said = [f"{len(paths)} {kind} ({_some(paths)})" for kind, paths in kinds if paths]
        if self.unchecked:
            said.append(f"{self.unchecked} of another time, not compared")
        lines = "; lines of changed files are those of the index" if self.changed else ""
        return f"{', '.join(said)}{lines}"


def _some(paths: tuple[str, ...]) -> str:
    return ", ".join(paths[:2]) + (", ..." if len(paths) > 2 else "")


class SearchResult(msgspec.Struct, frozen=True):
    """What `search` returns; `to_dict()` is the JSON contract of every front end.

    `confidence` is the probability, 0 to 1, that the right file is among the first five hits; None
    where it cannot be told (nothing found, a question without content words). `likely` says it in
    words: very likely, likely, perhaps or unlikely; "" for None. `stale` says which files moved
    since the index was made; removed ones are no hits. `passages` are the sections of documents and
    the registers that answer the question, a list of their own; `routing` says which list comes
    first, None where there is but one.
    """

    question: str
    hits: tuple[Hit, ...]
    hops: int
    total_files: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    likely: str = ""
    stale: Moved = Moved()
    passages: tuple[Passage, ...] = ()
    routing: Routing | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        found = {"schema": 1, **msgspec.to_builtins(self), "stale": self.stale.to_dict()}
        if self.routing is None:
            del found["routing"]
        return found


class Citation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A numbered source of an answer.

    Of a document that has no lines `line` and `end_line` are 0, and `page` says where it is, or
    `section` where there are no pages either. `url` is where it is read on the web.
    """

    marker: int
    path: str
    line: int
    end_line: int
    page: int = 0
    section: str = ""
    url: str = ""

    @property
    def place(self) -> str:
        """Returns the place as an answer writes it: `path:3-5`, `path, page 2`."""
        if self.line:
            span = f"-{self.end_line}" if self.end_line > self.line else ""
            return f"{self.path}:{self.line}{span}"
        if self.page:
            return f"{self.path}, page {self.page}"
        return f"{self.path}, section {self.section}" if self.section else self.path


EXTRACTIVE = "extractive"
"""Stands for the model of an answer that was quoted rather than written."""


class Answer(msgspec.Struct, frozen=True):
    """An answer with its citations and the search that it rests on.

    `found` is False when nothing in the index answers the question; `weak` says why the evidence
    was too weak to answer from, "" when it was not. `removed` counts citations of a model that
    name nothing it was shown, `uncited` its sentences without one. Tokens are those of the
    model's calls for this answer; 0 for a stored one.
    """

    question: str
    text: str
    citations: tuple[Citation, ...]
    result: SearchResult
    model: str = EXTRACTIVE
    found: bool = True
    weak: str = ""
    removed: int = 0
    uncited: int = 0
    notes: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {
            "schema": 1,
            "question": self.question,
            "answer": self.text,
            "model": self.model,
            "found": self.found,
            "weak": self.weak,
            "citations": msgspec.to_builtins(self.citations),
            "removed": self.removed,
            "uncited": self.uncited,
            "notes": [*self.notes, *self.result.notes],
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "hits": msgspec.to_builtins(self.result.hits),
            **self._lists(),
            "stale": self.result.stale.to_dict(),
        }

    def _lists(self) -> dict[str, Any]:
        """Returns the passages and the routing, where documents are indexed."""
        result = self.result
        if not result.passages and result.routing is None:
            return {}
        return {
            "passages": msgspec.to_builtins(result.passages),
            "routing": msgspec.to_builtins(result.routing),
        }


class StageTime(msgspec.Struct, frozen=True):
    """Wall seconds of one stage and how many items it treated."""

    stage: str
    seconds: float
    items: int = 0


class StageUsage(msgspec.Struct, frozen=True):
    """Calls of one stage: `calls` were sent, `stored` answered by an earlier run for nothing.

    `cost` is in USD, None when a price is not known.
    """

    stage: str
    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    failed: int = 0
    cost: float | None = None


class WriterTrust(msgspec.Struct, frozen=True):
    """How far one model's explanations can be trusted: names in them that no file has.

    `rate` is `invented` by `names`, the identifiers that were looked up (0 without any).
    """

    model: str
    files: int
    names: int
    invented: int
    rate: float
    repaired: int = 0  # answers that had the form asked for only when asked again


class ModelReport(msgspec.Struct, frozen=True, kw_only=True):
    """The work of language models in one run; `fallbacks` holds "path: reason" lines.

    `done` counts the files done now by stage (explain, neighbours, extract), `pending` those that
    wait: the next run with a model goes on with them. `stopped` says why the model was not asked
    further. `cost` is in USD, None when a price is not known.
    """

    usage: tuple[StageUsage, ...] = ()
    cost: float | None = None
    done: dict[str, int] = {}
    fallbacks: tuple[str, ...] = ()
    pending: dict[str, int] = {}
    stopped: str = ""


class StageEstimate(msgspec.Struct, frozen=True):
    """What one stage of a run with a model would take.

    `stored` of its `calls` are answered already and cost nothing; tokens and prices are those of
    the rest. Output tokens are a bound and a guess from earlier answers; prices are in USD, None
    when not known.
    """

    stage: str
    files: int
    calls: int
    stored: int
    input_tokens: int
    output_tokens_most: int
    output_tokens_typical: int
    cost_most: float | None
    cost_typical: float | None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would send and cost; nothing of it has been sent. The last stage is the total."""

    root: str
    files: int
    model: str
    endpoint: str
    stages: tuple[StageEstimate, ...]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> StageEstimate:
        """Returns the sum over the stages."""
        return self.stages[-1]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, "dry_run": True, **msgspec.to_builtins(self)}


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `index` did. Path lists are sorted; `failed` holds "path: reason" lines."""

    root: str
    files: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    unchanged: int = 0
    degraded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    units: int = 0
    nodes: int = 0
    edges: int = 0
    unresolved: int = 0
    syntax_errors: int = 0
    syntax_error_files: int = 0
    surfaces: int = 0
    embedded: int = 0
    disagreements: int = 0
    agreement: dict[str, int] = {}  # facts by whether the readers of the source agree on them
    readers: dict[str, int] = {}  # files by who read them
    file_source: str = ""
    graphrag: str = ""
    stages: tuple[StageTime, ...] = ()
    peak_memory_mb: float = 0.0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # parts of the index that could not be made this time
    writers: dict[str, int] = {}  # explanations by who wrote them
    trust: tuple[WriterTrust, ...] = ()
    models: ModelReport = ModelReport()
    options: dict[str, Any] = {}  # of this call and earlier ones, remembered for the next
    documents: DocumentsReport | None = None  # None where documents are not indexed

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, **msgspec.to_builtins(self)}


DISCOVERED = 2
"""Stages of a run that found nothing to do: the files were looked for; and the total."""


class Round(msgspec.Struct, frozen=True):
    """What one round of `watch` did.

    `files` are the paths whose change began it, `seconds` its wall time. `error` says why there is
    no `report`; `locked` that another process was writing the index, so that it is tried again.
    """

    files: tuple[str, ...] = ()
    seconds: float = 0.0
    report: IndexReport | None = None
    error: str = ""
    locked: bool = False

    @property
    def told(self) -> bool:
        """Returns whether there is something to say: a new index, or an error."""
        found = self.report
        moved = found and (found.added or found.changed or found.removed or found.renamed)
        return bool(self.error or moved or (found and len(found.stages) > DISCOVERED))

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {
            "schema": 1,
            "files": list(self.files),
            "seconds": self.seconds,
            "error": self.error,
            "report": self.report.to_dict() if self.report else None,
        }
