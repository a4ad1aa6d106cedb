"""The BM25 fields of a file besides its whole text: names, comments, explanation and others."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from hdlgraph.index.explain.uses import uses_of
from hdlgraph.index.kept.derived import Keeper
from hdlgraph.index.kept.functions import kept, last, note
from hdlgraph.index.kept.memory import decoded
from hdlgraph.index.kept.unchanged import stamp_of
from hdlgraph.index.request import terms_digest
from hdlgraph.model import Explanation, FileRecord, Unit
from hdlgraph.words import terms

INCOMING = 400
"""Words of the places that instantiate a file's units, from which no more are taken."""
known_terms = cache(terms_digest)
"""Returns a digest of the code of this process that cuts texts into terms."""
FIELDS = ("declared", "incoming", "explanation")


def field_texts(
    name: str, records: Sequence[FileRecord], explanations: Mapping[str, Explanation]
) -> list[str]:
    """Returns the text of one field for each record, in the order of `records`."""
    if name == "declared":
        return [" ".join(declared_names(r)) for r in records]
    if name == "incoming":
        return _incoming(records)
    found = (explanations.get(r.path) for r in records)
    return [one.for_search().to_text() if one else "" for one in found]


def _incoming(records: Sequence[FileRecord]) -> list[str]:
    """Returns the words of the places that instantiate each file's units.

    They are those of the last run where each file uses what it did.
    """
    said = ([record.path for record in records], stamp_of(uses_of, records))
    key = hashlib.blake2b(msgspec.msgpack.encode(said), digest_size=16).digest()
    noted, texts = last("incoming", tuple[bytes, list[str]]) or (b"", [])
    if noted == key and len(texts) == len(records):
        return texts
    incoming = incoming_words(records)
    texts = [" ".join(incoming.get(record.path, ())) for record in records]
    note("incoming", (key, texts))
    return texts


def field_terms(texts: Sequence[str], cache: Keeper | None) -> list[list[str]]:
    """Returns the terms of each text; those of known texts come from the cache."""
    how = known_terms()
    keys = {text: f"{how}:{hashlib.sha256(text.encode()).hexdigest()}" for text in texts}
    known = decoded(cache, "terms", keys.values(), msgspec.msgpack.Decoder(list[str]).decode)
    found = {text: known[key] for text, key in keys.items() if key in known}
    fresh = {text: terms(text) for text in keys if text not in found}
    if cache and fresh:
        encode = msgspec.msgpack.encode
        cache.put_many("terms", {keys[text]: encode(bag) for text, bag in fresh.items()})
    found |= fresh
    return [found[text] for text in texts]


def declared_names(record: FileRecord) -> list[str]:
    """Returns the names a file declares: units, ports, parameters, types, routines, states."""
    names: list[str] = [record.path.rsplit("/", 1)[-1].split(".")[0]]
    for unit in record.units:
        names.append(unit.name)
        names += [p.name for p in unit.ports]
        names += [p.name for p in unit.parameters]
        names += [r.name for r in unit.routines]
        names += [a.name for a in unit.assertions]
        for kind in unit.types:
            names += [kind.name, *kind.members]
        names += [m.name for m in unit.modports]
    names += [r.name for r in record.routines]
    names += [p.name for p in record.parameters]
    for kind in record.types:
        names += [kind.name, *kind.members]
    names += [m.name for m in record.macros]
    return names


def incoming_words(records: Sequence[FileRecord]) -> dict[str, list[str]]:
    """Returns for each path the names and comments of the places that instantiate its units."""
    home: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:  # what each uses is looked up twice, not held of all
        for unit in uses_of(record).units:
            home[unit.name][record.path] += 1
    incoming: dict[str, list[str]] = defaultdict(list)
    for record in records:
        for unit in uses_of(record).units:
            for instance in unit.instances:
                homes = home.get(instance.unit)
                if not homes:
                    continue
                for path, times in list(homes.items()):
                    words = incoming[path]
                    times = min(times, max(0, -((len(words) - INCOMING) // 3)))
                    words += [instance.name, unit.name, instance.comment] * times
                    if len(words) >= INCOMING:
                        del homes[path]
    return incoming


def declared_places(records: Sequence[FileRecord]) -> dict[str, list[tuple[int, int, str, str]]]:
    """Returns lower-case name -> places (file number, line, kind, name as written).

    Units, types, routines and macros by name, files by base name with and without suffix; the
    parameters and enumeration members of packages and of files, which other files use by name.
    """
    places: dict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
    for number, record in enumerate(records):
        for low, line, kind, name in _declared_in(record):
            places[low].append((number, line, kind, name))
    # Those of a file are sorted, and the files come in order.
    return dict(sorted(places.items()))


@kept
def _declared_in(record: FileRecord) -> list[tuple[str, int, str, str]]:
    """Returns (lower-case name, line, kind, name as written) in a file, sorted, each once."""
    base = record.path.rsplit("/", 1)[-1]
    named = [(u.name, u.line, u.kind) for u in record.units]
    owners: tuple[FileRecord | Unit, ...] = (record, *record.units)
    for owner in owners:
        named += [(t.name, t.line, "type") for t in owner.types]
        named += [(r.name, r.line, r.kind) for r in owner.routines]
    named += [(m.name, m.line, "macro") for m in record.macros]
    named += _shared_constants(record)
    found = {(name.lower(), line, str(kind), name) for name, line, kind in named}
    found |= {(name.lower(), 1, "file", base) for name in (base, base.rsplit(".", 1)[0])}
    return sorted(found)


def _shared_constants(record: FileRecord) -> list[tuple[str, int, str]]:
    """Returns (name, line, kind) of the constants that a file offers to others."""
    packages = (unit for unit in record.units if unit.kind == "package")
    found: list[tuple[str, int, str]] = []
    owners: tuple[FileRecord | Unit, ...] = (record, *packages)
    for owner in owners:
        found += [(one.name, one.line, "parameter") for one in owner.parameters]
        found += [
            (name, one.line, "member")
            for one in owner.types
            if one.kind == "enum"
            for name in one.members
        ]
    return found
