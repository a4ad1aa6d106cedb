"""What a repository as a whole says of each file: what is repeated, what short forms mean there.

It holds what an explanation depends on besides the file's facts and its surroundings.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import msgspec

from hdlgraph.index.explain.by_rules.evidence.documents import described
from hdlgraph.index.explain.by_rules.evidence.helpers import helpers_of
from hdlgraph.index.explain.by_rules.evidence.meanings import Chosen, MeaningsAround
from hdlgraph.index.explain.by_rules.evidence.repeats import Repeats, introduction, stem_of
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, mine_long_forms
from hdlgraph.index.explain.by_rules.spelling import AsWritten, Short
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.index.kept.unchanged import stamp_of
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.tables import pairs
from hdlgraph.model import FileRecord

_WHO = r"[A-Z][a-z]+(?: [A-Z]\.?)?(?: [A-Z][a-z-]+){1,2}(?: \([A-Z]\w*\))?"
_NAME_LIKE = re.compile(rf"{_WHO}(?:(?:,| and|) {_WHO}){{0,3}}\.?")


class FileEvidence(msgspec.Struct, frozen=True, array_like=True):
    """What the repository says of one file.

    `introduction`: the sentences at its head that are its own. `skip`: sentences of its comments
    that many files repeat. `document`: what a document says of it, "" where none does. `helpers`:
    the units that it instantiates as most files do, and that drive nothing.
    """

    introduction: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    chosen: Chosen = ()
    document: str = ""
    helpers: tuple[str, ...] = ()


class Settled(NamedTuple):
    """What the words of an explanation depend on besides what is known of its file."""

    mined: tuple[tuple[str, str], ...]
    projects: Projects


class Evidence:
    """Collects for each file what the other files and the documents say that bears on it.

    Args:
        records: facts of all files.
        texts: (path, text) of the documents.
        projects: the project tables in force.
    """

    def __init__(
        self,
        records: Sequence[FileRecord] = (),
        texts: Iterable[tuple[str, str]] = (),
        projects: Projects = (),
    ) -> None:
        self._projects = projects
        self._mined = mine_long_forms(records, projects)
        settled = {*dict(self._mined), *pairs(added(projects, "abbreviations"), "=")}
        self._meanings = MeaningsAround(records, settled)
        self._repeats = Repeats(records)
        self._documents = described(records, texts)
        self._sorted = records
        self._records = {record.path: record for record in records}
        self._plain = Vocabulary(self._mined, projects)
        self._vocabularies: dict[Chosen, Vocabulary] = {}
        self._found: dict[str, bytes] = {}
        """What was found of each file, encoded."""
        self.written = AsWritten(projects)
        self.short = Short(projects)
        state = repr((self._mined, projects)).encode()
        self.digest = hashlib.sha256(state).hexdigest()[:12]

    @cached_property
    def state(self) -> bytes:
        """Returns what stands for all that `of` takes from others than its file."""
        said = stamp_of(introduction, self._sorted)
        parts = (self._mined, self._projects, self._meanings.state, self._repeats.state)
        documents = sorted(self._documents.items())
        whole = msgspec.msgpack.encode((parts, documents, sorted(self._helpers), said))
        return hashlib.blake2b(whole, digest_size=16).digest()

    @cached_property
    def _helpers(self) -> frozenset[str]:
        return helpers_of(self._sorted)

    @property
    def settled(self) -> Settled:
        """Returns what `of_settled` makes the like of this from, less what is said of files."""
        return Settled(tuple(self._mined), self._projects)

    @classmethod
    def of_settled(cls, settled: Settled) -> Evidence:
        """Returns evidence for files of which `add` noted what is known."""
        found = cls((), (), settled.projects)
        found._mined = settled.mined
        found._plain = Vocabulary(settled.mined, settled.projects)
        return found

    def add(self, path: str, known: FileEvidence) -> None:
        """Notes what bears on a file, as `of` found it elsewhere."""
        self._found[path] = msgspec.msgpack.encode(known)

    def of(self, record: FileRecord, context: Neighbourhood) -> FileEvidence:
        """Returns what bears on one file; it is found once."""
        known = self._found.get(record.path)
        if known is not None:
            return msgspec.msgpack.decode(known, type=FileEvidence)
        found = self._find(record, context)
        self._found[record.path] = msgspec.msgpack.encode(found)
        return found

    def _find(self, record: FileRecord, context: Neighbourhood) -> FileEvidence:
        banners, shared = self._repeats.repeated(record)
        skip = {*banners, *shared, *self._of_children(record, context)}
        found = [t for t in introduction(record) if not _is_only_a_name(t, record)]
        own = [text for text in found if text not in skip]
        if not own:  # what a whole family of files says of itself
            own = [text for text in found if text in shared]
        return FileEvidence(
            tuple(own),
            tuple(sorted({*banners, *shared} - set(own))),
            self._meanings.of(record.path),
            self._documents.get(record.path, ("", ""))[0],
            tuple(sorted(self._helpers.intersection(child.unit for child in context.children))),
        )

    def vocabulary(self, chosen: Chosen) -> Vocabulary:
        """Returns the words of identifiers where ambiguous parts have these meanings."""
        if chosen not in self._vocabularies:
            self._vocabularies[chosen] = self._plain.where(chosen)
        return self._vocabularies[chosen]

    def _of_children(self, record: FileRecord, context: Neighbourhood) -> set[str]:
        """Returns the sentences that introduce a file which this one instantiates."""
        stem = stem_of(record.path)
        return {
            text
            for child in context.children
            if child.path and child.path != record.path and stem_of(child.path) != stem
            if child.path in self._records
            for text in introduction(self._records[child.path])
        }


def _is_only_a_name(text: str, record: FileRecord) -> bool:
    """Returns whether a sentence is the name of the file, of a unit or of a person."""
    low = text.lower().strip(". ")
    names = {unit.name.lower() for unit in record.units} | {record.path.rpartition("/")[2].lower()}
    if low in names | {stem_of(record.path).lower()}:
        return True
    if not _NAME_LIKE.fullmatch(text):
        return False
    own_names = f"{record.path} {' '.join(unit.name for unit in record.units)}".lower()
    words = [word.strip(".").lower() for word in text.split()]
    return not any(word[:4] in own_names or word in _everyday() for word in words)


@cache
def _everyday() -> frozenset[str]:
    """Returns the words that the general tables of abbreviations spell out."""
    return frozenset(word.lower() for long in abbreviations().values() for word in long.split())
