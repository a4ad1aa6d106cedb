"""Names the well-known structures that the files of a repository implement, by their names.

strength(s, f) = max over spellings p of s of (sum of idf(t) in(t, f)) / (sum of idf(t)), t over the
words of p; in(t, f) is 1 for a word of the file's name or of its units, HALF for a word of its
folders, short forms spelt out. So `hw/ip/uart/rtl/uart_tx.sv` is a `UART transmitter` (1.0) and
hardly a `USB transmitter`.

Such a strength helps to rank; `structure_claims` decides which files may be called a structure.
`hdlgraph.store.structures` says what of it stands on disk.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from hdlgraph.index.embed.structure_claims import claims, claims_of
from hdlgraph.index.embed.surfaces import embed_texts
from hdlgraph.index.embed.token_vectors import write_passages
from hdlgraph.index.kept.derived import CHANGED, DIGEST
from hdlgraph.index.kept.functions import kept, last, note
from hdlgraph.index.kept.unchanged import all_stamps, stamp_of
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.projects import Projects
from hdlgraph.knowledge.structures import Structure, structures
from hdlgraph.model import FileRecord
from hdlgraph.store.structures import Links, make_folder, write_structures
from hdlgraph.words import split_identifier, stem

if TYPE_CHECKING:
    from hdlgraph.index.embed.token_vectors import TokenEncoder

PRESENT = 0.75  # a structure is told of when a file is one at least this much
LINKED = 0.3  # weaker links are not kept
HALF = 0.5
UNITS = 3  # units of a file whose names count


@kept
def name_words(record: FileRecord, projects: Projects = ()) -> dict[str, float]:
    """Returns stemmed word -> 1 for words of the file's and its units' names, HALF for folders."""
    *folders, own = record.path.rsplit(".", 1)[0].split("/")
    found: dict[str, float] = {}
    named = [(own, 1.0), *((unit.name, 1.0) for unit in record.units[:UNITS])]
    for name, weight in [*named, *((folder, HALF) for folder in folders)]:
        for word in _spelt(name, projects):
            found[word] = max(found.get(word, 0.0), weight)
    return found


def _spelt(name: str, projects: Projects) -> list[str]:
    parts, known = split_identifier(name), abbreviations(projects)
    longer = [word for part in parts for word in split_identifier(known.get(part, ""))]
    return [stem("".join(parts)), *(stem(word) for word in (*parts, *longer))]


def strengths(
    records: Sequence[FileRecord], known: Sequence[Structure], projects: Projects = ()
) -> np.ndarray:
    """Returns how much each file is each structure, float32 (structures, files), 0 to 1.

    Strengths below LINKED count nowhere.
    """
    return _strengths([name_words(one, projects) for one in records], known)


def _strengths(named: Sequence[dict[str, float]], known: Sequence[Structure]) -> np.ndarray:
    """Returns the strengths of files by the words of their names."""
    frequency = Counter(word for words in named for word in words)
    spellings = [spelling for structure in known for spelling in structure.spellings]
    parts = {part for one in spellings for part in (*split_identifier(one), _one(one))}
    wanted = sorted({stem(part) for part in parts} & frequency.keys())
    rows = {word: np.zeros(len(named), np.float32) for word in wanted}
    for number, words in enumerate(named):
        for word, weight in words.items():
            if word in rows:
                rows[word][number] = weight
    out = np.zeros((len(known), len(named)), np.float32)
    for place, structure in enumerate(known):
        for spelling in structure.spellings:
            np.maximum(out[place], _spelling(spelling, rows, frequency, out[place]), out=out[place])
    return out


def _one(spelling: str) -> str:
    """Returns the parts of a spelling as one word."""
    return "".join(split_identifier(spelling))


def _spelling(
    spelling: str, rows: dict[str, np.ndarray], frequency: Counter[str], none: np.ndarray
) -> np.ndarray:
    words = [stem(part) for part in split_identifier(spelling)]
    joined = rows.get(stem(_one(spelling)))
    if joined is None and not any(word in rows for word in words):
        return none  # no file has a word of it: what is there already stays the maximum
    if not words:
        return none
    idf = [math.log(1 + len(none) / (frequency[word] + 0.5)) for word in words]
    total = np.zeros_like(none)
    for word, weight in zip(words, idf, strict=True):
        if word in rows:
            total += weight * rows[word]
    total /= sum(idf)
    return total if joined is None or len(words) == 1 else np.maximum(total, joined)


def build_structures(
    records: Sequence[FileRecord],
    embedder: Any | None,
    encoder: TokenEncoder | None,
    cache: Any | None,
    generation: Path,
    projects: Projects = (),
) -> int:
    """Writes the structures that are present, with their vectors; returns the descriptions.

    Args:
        records: facts of all files, sorted by path.
        embedder: an Embedder, or None for no vectors.
        encoder: gives the token vectors, or None to leave them out.
        cache: object with get_many/put_many(namespace, ...) or None.
        generation: the generation's folder.
        projects: the project tables in force.
    """
    out = make_folder(generation)
    known = structures(projects)
    found = _Noted.of_last_run(records, known, projects) or _found(records, known, projects)
    found.note(records)
    texts = [(known[place].name, what) for place in found.places for what in known[place].what]
    vectors = None
    if embedder is not None:
        vectors = embed_texts([what for _, what in texts], embedder, cache)[0]
    write_structures(out, texts, found.links(known), vectors)
    if encoder is not None:
        write_passages([f"{name}: {what}" for name, what in texts], encoder, cache, out)
    return len(texts)


class _Noted(msgspec.Struct, array_like=True):
    """The structures that are present, kept for the next run.

    `names` stands for what the strengths depend on, `facts` for the facts of each file. `places`
    are those of the structures in their table; `counts` say how many files each has, and the
    others are of each of these, as `Links` have them.
    """

    names: bytes
    facts: bytes
    places: list[int]
    counts: list[int]
    files: bytes
    strengths: bytes
    claims: bytes

    @classmethod
    def of_last_run(
        cls, records: Sequence[FileRecord], known: Sequence[Structure], projects: Projects
    ) -> _Noted | None:
        """Returns what the last run found, None where it may be something else now.

        It is the same while all names are, and files with other facts may be called what they were.
        """
        noted: _Noted | None = last("structures", cls)
        if noted is None or noted.names != _stamp(records, known, projects):
            return None
        facts = all_stamps(records)
        if len(facts) != len(noted.facts):
            return None
        now, was = (
            np.frombuffer(one, np.uint8).reshape(-1, DIGEST) for one in (facts, noted.facts)
        )
        changed = np.flatnonzero((now != was).any(axis=1) | ~now.any(axis=1)).tolist()
        if len(changed) > CHANGED:
            return None
        at = np.frombuffer(noted.files, np.int32)
        likely = np.frombuffer(noted.strengths, np.float32) >= PRESENT
        of = np.repeat(np.asarray(noted.places, np.int64), noted.counts)
        told = np.frombuffer(noted.claims, bool)
        own = {number: np.flatnonzero(likely & (at == number)) for number in changed}
        claimed = claims_of(
            records, known, {n: of[rows].tolist() for n, rows in own.items()}, projects
        )
        same = all(claimed[n] == of[rows[told[rows]]].tolist() for n, rows in own.items())
        return noted if same else None

    def note(self, records: Sequence[FileRecord]) -> None:
        """Keeps it for the next run, where the facts of each file are told."""
        facts = all_stamps(records)
        if np.frombuffer(facts, np.uint8).reshape(-1, DIGEST).any(axis=1).all():
            note("structures", msgspec.structs.replace(self, facts=facts))

    def links(self, known: Sequence[Structure]) -> Links:
        """Returns the files of each description."""
        ends = np.cumsum([0, *self.counts])
        told = [at for at, place in enumerate(self.places) for _ in known[place].what]
        rows = [np.arange(ends[at], ends[at + 1]) for at in told]
        order = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        pointers = np.cumsum([0, *(len(some) for some in rows)])
        return Links(
            pointers.astype(np.int64),
            np.frombuffer(self.files, np.int32)[order],
            np.frombuffer(self.strengths, np.float32)[order],
            np.frombuffer(self.claims, bool)[order],
        )


def _found(records: Sequence[FileRecord], known: Sequence[Structure], projects: Projects) -> _Noted:
    """Returns the structures that are present."""
    strength = strengths(records, known, projects)
    present = np.flatnonzero(strength.max(axis=1, initial=0.0) >= PRESENT).tolist()
    sure = claims(records, known, strength, PRESENT, projects)
    chosen = [np.flatnonzero(strength[place] >= LINKED) for place in present]
    each = list(zip(present, chosen, strict=True))
    return _Noted(
        _stamp(records, known, projects),
        b"",
        present,
        list(map(len, chosen)),
        _joined(chosen).astype(np.int32).tobytes(),
        _joined([strength[place][files] for place, files in each]).astype(np.float32).tobytes(),
        _joined([sure[place][files] for place, files in each]).astype(bool).tobytes(),
    )


def _stamp(records: Sequence[FileRecord], known: Sequence[Structure], projects: Projects) -> bytes:
    """Returns what stands for all that strengths depend on."""
    said = (stamp_of(name_words, records, projects), known)
    return hashlib.blake2b(msgspec.msgpack.encode(said), digest_size=16).digest()


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)
