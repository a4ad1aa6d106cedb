"""Computes the lexical index: postings and positions of all terms, BM25 fields, abbreviations.

`hdlgraph.store.lexical` says what of it stands on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path

import msgspec

from hdlgraph.index.explain.by_rules.evidence.repeats import introduction
from hdlgraph.index.explain.texts import Texts, as_texts
from hdlgraph.index.kept.derived import DIGEST, Keeper
from hdlgraph.index.kept.functions import of_content
from hdlgraph.index.kept.memory import decoded
from hdlgraph.index.kept.unchanged import all_stamps, cut
from hdlgraph.index.lexical import segments
from hdlgraph.index.lexical.fields import declared_places, field_terms, field_texts, known_terms
from hdlgraph.index.lexical.mine_abbreviations import abbreviations_of
from hdlgraph.index.lexical.segments import Former, Planned, Source, Writer
from hdlgraph.index.lexical.tokens import Encoded, Mined, mined_of, tokenise
from hdlgraph.index.request import program_digest
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store import lexical
from hdlgraph.store.lexical import FileRow, SegmentRow
from hdlgraph.store.packed.slices import Slicing
from hdlgraph.store.words.segment import write_names


def file_tokens(
    records: Sequence[FileRecord],
    read_text: Callable[[str], str],
    cache: Keeper | None,
    shares: Shares = ALONE,
) -> Encoded:
    """Returns the tokens of each record's file, from the cache where the content is known."""
    how = known_terms()
    keys = [f"{how}:{r.path}:{r.sha256}" for r in records]
    known = decoded(cache, "tokens", keys, bytes)
    encode = msgspec.msgpack.Encoder().encode

    def read(paths: Sequence[str]) -> list[bytes]:
        return [encode(tokenise(path, read_text(path))) for path in paths]

    missing = {
        key: record.path for record, key in zip(records, keys, strict=True) if key not in known
    }
    fresh = dict(zip(missing, shares.map("words", read, list(missing.values())), strict=True))
    if cache and fresh:
        cache.put_many("tokens", fresh)
        cache.put_many("mined", {key: mined_of(blob) for key, blob in fresh.items()})
    return Encoded([known[key] if key in known else fresh[key] for key in keys])


def kept_mined(files: Sequence[tuple[str, str]], cache: Keeper | None) -> list[Mined] | None:
    """Returns what was mined of (path, sha256), from the cache, None where one is not there."""
    keys = _mined_keys(files)
    known = decoded(cache, "mined", keys, msgspec.msgpack.Decoder(Mined).decode)
    return [known[key] for key in keys] if all(key in known for key in keys) else None


def _mined_keys(files: Iterable[tuple[str, str]]) -> list[str]:
    how = known_terms()
    return [f"{how}:{path}:{sha256}" for path, sha256 in files]


def build_lexical(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    read_text: Callable[[str], str],
    cache: Keeper | None,
    generation: Path,
    projects: Projects = (),
    facts: Mapping[str, str] | None = None,
    former: Former | None = None,
    shares: Shares = ALONE,
    slicing: Slicing | None = None,
) -> None:
    """Writes the lexical index of `records` (sorted by path) into a generation's folder.

    Args:
        records: facts of all files, sorted by path.
        explanations: explanation of each path.
        read_text: gives a file's decoded text ("" where it cannot be read).
        cache: object with get_many/put_many(namespace, ...) or None.
        generation: the generation's folder.
        projects: the project tables in force.
        facts: a key of each path's facts, which stands for all they depend on.
        former: the segments of the former generation, which are taken over where they fit.
        shares: who reads the words of files.
        slicing: the slices of the generation.
    """
    out = lexical.make_folder(generation)
    explained = as_texts(explanations)
    written = {p for p, e in explained.told().items() if e.model != "deterministic"}
    lexical.write_files(out, _rows(records, written))
    _write_summaries(slicing or Slicing(generation), records, explained)
    incoming = field_texts("incoming", records, {})
    source = partial(_source, records, incoming, explained, read_text)
    writer = Writer(out, source, cache, former, projects, shares)
    _write_segments(writer, records, _keys(records, incoming, explained, facts))
    if cache:  # whichever file is edited next: what it said is taken out of its segment
        cache.use("mined", _mined_keys((r.path, r.sha256) for r in records))
    found = abbreviations_of(writer.counts, len(records))
    lexical.write_abbreviations(out, found)


def _rows(records: Sequence[FileRecord], written: Set[str]) -> list[str]:
    """Returns the rows of files, encoded, segment by segment; `written` are those of a model."""

    def made(some: Sequence[FileRecord]) -> str:
        rows = (
            FileRow(r.path, r.role, r.n_lines, r.path in written, _is_introduced(r)) for r in some
        )
        return lexical.encoded_rows(list(rows))

    found = []
    for one in cut(records):
        some = records[one.begin : one.end]
        key = msgspec.msgpack.encode(
            (one.key, [r.role for r in some], [r.path for r in some if r.path in written])
        )
        work = partial(made, some)
        found.append(of_content("rows of files", key, str, work) if one.key else work())
    return found


def _is_introduced(record: FileRecord) -> bool:
    """Returns whether comments say what a file or its units are."""
    return bool(introduction(record))


def _write_summaries(slicing: Slicing, records: Sequence[FileRecord], explained: Texts) -> None:
    """Writes what each file does in one sentence."""
    paths = [record.path for record in records]

    def sentence(number: int) -> str:
        found = explained.get(paths[number])
        return found.sentence() if found else ""

    slices = slicing.group("summaries", paths, explained.digests(paths))
    lexical.write_summaries(slices, sentence)


def _source(
    records: Sequence[FileRecord],
    incoming: Sequence[str],
    explained: Texts,
    read_text: Callable[[str], str],
    cache: Keeper | None,
    shares: Shares,
) -> Source:
    """Returns where the words of files come from."""

    def bags(numbers: Sequence[int]) -> dict[str, list[list[str]]]:
        some = [records[n] for n in numbers]
        texts = {
            "declared": field_texts("declared", some, {}),
            "incoming": [incoming[n] for n in numbers],
            "explanation": field_texts("explanation", some, explained),
        }
        return {name: field_terms(own, cache) for name, own in texts.items()}

    return Source(
        tokens=lambda numbers: file_tokens([records[n] for n in numbers], read_text, cache, shares),
        bags=bags,
        earlier=lambda files: kept_mined(files, cache),
    )


def _keys(
    records: Sequence[FileRecord],
    incoming: Sequence[str],
    explained: Texts,
    facts: Mapping[str, str] | None,
) -> list[str]:
    """Returns for each file a key of all that its words and names depend on."""
    encode, stamps = msgspec.msgpack.encode, all_stamps(records)
    found = []
    for number, (record, others) in enumerate(zip(records, incoming, strict=True)):
        said = explained.searched(record.path)
        stamp = stamps[DIGEST * number : DIGEST * (number + 1)]
        if any(stamp) and not others:
            found.append((stamp + said).hex())
            continue
        own = facts[record.path].encode() if facts is not None else encode(record)
        text = b"\0".join((own, record.sha256.encode(), others.encode(), said))
        found.append(hashlib.blake2b(text, digest_size=12).hexdigest())
    return found


def _write_segments(writer: Writer, records: Sequence[FileRecord], keys: Sequence[str]) -> None:
    """Writes all segments, each with the names that its files declare."""
    how = f"{known_terms()} {program_digest()} {writer.projects}"
    ends = segments.ends([record.path for record in records])
    planned, first = [], 0
    for end in ends:
        numbers, first = range(first, end), end
        files = {records[n].path: (records[n].sha256, keys[n]) for n in numbers}
        key = hashlib.sha256(repr((how, list(files.items()))).encode()).hexdigest()[:16]
        planned.append(Planned(numbers, files, key, key if len(ends) > 1 else ""))
    for one in writer.write(planned):
        places = declared_places([records[n] for n in one.numbers])
        write_names(writer.folder / one.name, places)
    rows = [SegmentRow(one.name, len(one.numbers), one.key) for one in planned]
    lexical.write_segments(writer.folder, rows)
