"""The explanations of all files: imported ones, cached ones, the others written now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.explain.away import explained
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, Explainer
from hdlgraph.index.explain.keys import Keys
from hdlgraph.index.explain.neighbourhood import Surroundings
from hdlgraph.index.explain.texts import Texts, packed
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.explanations import usable

HELD = 4096
"""New explanations up to which they are held decoded; more are read where they are looked at."""
BATCH = 1024
"""New explanations that are written at once."""


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
) -> Texts:
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
    around = Surroundings(records)
    found = Texts(record.path for record in records)
    for record in records:
        given = usable(imported, record.path, record.sha256) if imported else None
        if given is not None:
            found[record.path] = given
    keys = Keys(explainer, facts, around, records)
    own = [record for record in records if record.path not in found]
    cache.use("explanations", [keys.key(record.path) for record in own])
    missing = keys.unknown(own, cache)
    fresh: dict[str, bytes] = {}
    for item in explained(missing, around, explainer, engine, shares):
        if len(missing) <= HELD:
            found[item.path] = item
        blob = fresh[keys.key(item.path)] = packed(item)
        keys.add(item.path, blob)
        if len(fresh) >= BATCH:
            cache.put_many("explanations", fresh)
            fresh = {}
    if fresh:
        cache.put_many("explanations", fresh)
    if len(missing) > HELD:
        cache.pack(("explanations",))
    keys.note()
    kept = {one.path: keys.digests(one.path) for one in own if one.path not in found}
    by_path = {record.path: record for record in records}
    again = by_path.__getitem__
    found.keep(kept, keys.reader(cache), lambda p: explainer.explain(again(p), around[p]))
    return found
