"""The explanations of all files: imported ones, cached ones, the others written now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.explain.away import explained
from hdlgraph.index.explain.by_rules.explainer import (
    DeterministicExplainer,
    Explainer,
    neighbourhoods,
)
from hdlgraph.index.memory import decoded
from hdlgraph.index.request import program_digest
from hdlgraph.index.shares import ALONE, Shares
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
    engine: Engine = HERE,
    shares: Shares = ALONE,
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
        engine: where explanations by rules are written.
        shares: who writes them on this machine.
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
        digest = explainer.key(record, around[path])
        text = writer + facts[path].encode() + encode(around[path]) + digest
        keys[path] = hashlib.sha256(text).hexdigest()[:32]
    decode = msgspec.msgpack.Decoder(Explanation).decode
    known = decoded(cache, "explanations", keys.values(), decode)
    found |= {path: known[key] for path, key in keys.items() if key in known}
    missing = [record for record in records if record.path not in found]
    fresh: dict[str, bytes] = {}
    for item in explained(missing, around, explainer, engine, shares):
        found[item.path] = item
        fresh[keys[item.path]] = encode(item)
    if fresh:
        cache.put_many("explanations", fresh)
    return {record.path: found[record.path] for record in records}
