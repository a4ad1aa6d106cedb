"""Computes the lexical index: postings and positions of all terms, BM25 fields, abbreviations.

`hdlgraph.store.lexical` says what of it stands on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from hdlgraph.index.derived import Keeper
from hdlgraph.index.explain.by_rules.evidence.repeats import introduction
from hdlgraph.index.lexical import segments
from hdlgraph.index.lexical.fields import FIELDS, declared_places, field_terms, field_texts
from hdlgraph.index.lexical.mine_abbreviations import abbreviations_of
from hdlgraph.index.lexical.segments import Former, Planned, Source, Writer
from hdlgraph.index.lexical.tokens import Encoded, Mined, mined_of, tokenise
from hdlgraph.index.memory import decoded
from hdlgraph.index.request import program_digest, terms_digest
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store import lexical
from hdlgraph.store.lexical import FileRow, SegmentRow
from hdlgraph.store.words.segment import write_names


def file_tokens(
    records: Sequence[FileRecord],
    read_text: Callable[[str], str],
    cache: Keeper | None,
    shares: Shares = ALONE,
) -> Encoded:
    """Returns the tokens of each record's file, from the cache where the content is known."""
    how = terms_digest()
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
    how = terms_digest()
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
    """
    out = lexical.make_folder(generation)
    written = {p for p, e in explanations.items() if e.model != "deterministic"}
    rows = [
        FileRow(r.path, r.role, r.n_lines, r.path in written, bool(introduction(r)))
        for r in records
    ]
    lexical.write_files(out, rows)
    explained = (explanations.get(r.path) for r in records)
    lexical.write_summaries(out, [e.sentence() if e else "" for e in explained])
    texts = {
        name: field_texts(name, records, explanations) for name in FIELDS if name != "declared"
    }
    source = partial(_source, records, texts, read_text)
    writer = Writer(out, source, cache, former, projects, shares)
    _write_segments(writer, records, _keys(records, texts, facts))
    if cache:  # whichever file is edited next: what it said is taken out of its segment
        cache.use("mined", _mined_keys((r.path, r.sha256) for r in records))
    found = abbreviations_of(writer.counts, len(records))
    lexical.write_abbreviations(out, found)


def _source(
    records: Sequence[FileRecord],
    texts: Mapping[str, Sequence[str]],
    read_text: Callable[[str], str],
    cache: Keeper | None,
    shares: Shares,
) -> Source:
    """Returns where the words of files come from."""
    return Source(
        tokens=lambda numbers: file_tokens([records[n] for n in numbers], read_text, cache, shares),
        bags=lambda numbers: {
            "declared": field_terms(
                field_texts("declared", [records[n] for n in numbers], {}), cache
            ),
            **{name: field_terms([own[n] for n in numbers], cache) for name, own in texts.items()},
        },
        earlier=lambda files: kept_mined(files, cache),
    )


def _keys(
    records: Sequence[FileRecord],
    texts: Mapping[str, Sequence[str]],
    facts: Mapping[str, str] | None,
) -> list[str]:
    """Returns for each file a key of all that its words and names depend on."""
    encode = msgspec.msgpack.encode
    others = list(texts.values())
    found = []
    for number, record in enumerate(records):
        own = facts[record.path].encode() if facts is not None else encode(record)
        joined = "\0".join(one[number] for one in others)
        text = b"\0".join((own, record.sha256.encode(), joined.encode()))
        found.append(hashlib.blake2b(text, digest_size=12).hexdigest())
    return found


def _write_segments(writer: Writer, records: Sequence[FileRecord], keys: Sequence[str]) -> None:
    """Writes all segments, each with the names that its files declare."""
    how = f"{terms_digest()} {program_digest()} {writer.projects}"
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
