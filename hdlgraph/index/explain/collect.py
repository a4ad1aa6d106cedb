"""The explanations of all files: imported ones, cached ones, the others written now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from hdlgraph.index.explain.by_rules.explainer import (
    DeterministicExplainer,
    Explainer,
    neighbourhoods,
)
from hdlgraph.index.memory import decoded
from hdlgraph.index.request import program_digest
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.explanations import usable


def collect_explanations(
    records: Sequence[FileRecord],
    facts: Mapping[str, str],
    cache: Cache,
    imported: Mapping[str, Explanation],
    explainer: Explainer | None = None,
    projects: Projects = (),
    texts: Iterable[tuple[str, str]] = (),
) -> dict[str, Explanation]:
    """Returns the explanation of every file, by path in the order of `records`.

    A file is explained again when its facts, its surroundings or the explainer changed.

    Args:
        records: facts of all files.
        facts: the cache key of each path's facts, which stands for all they depend on.
        cache: where explanations of earlier runs are, and new ones go.
        imported: explanations from elsewhere; one with the file's sha256 is used as it is.
        explainer: who explains; by default the deterministic explainer of these records.
        projects: the project tables in force.
        texts: (path, text) of the repository's documents.
    """
    explainer = explainer or DeterministicExplainer.for_records(records, projects, texts)
    around = neighbourhoods(records)
    writer = f"{explainer.name}\0{explainer.version}\0{program_digest()}\0".encode()
    encode = msgspec.msgpack.encode
    found: dict[str, Explanation] = {}
    keys: dict[str, str] = {}
    for record in records:
        path = record.path
        given = usable(imported, path, record.sha256)
        if given is not None:
            found[path] = given
            continue
        told = explainer.key(record, around[path])
        text = writer + facts[path].encode() + encode(around[path]) + told
        keys[path] = hashlib.sha256(text).hexdigest()[:32]
    decode = msgspec.msgpack.Decoder(Explanation).decode
    known = decoded(cache, "explanations", keys.values(), decode)
    fresh: dict[str, bytes] = {}
    for record in records:
        key = keys.get(record.path)
        if key is None:
            continue
        if key in known:
            found[record.path] = known[key]
        else:
            found[record.path] = explainer.explain(record, around[record.path])
            fresh[key] = encode(found[record.path])
    if fresh:
        cache.put_many("explanations", fresh)
    return {record.path: found[record.path] for record in records}
