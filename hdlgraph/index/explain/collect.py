"""The explanations of all files: imported ones, cached ones, the others written now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.index.engine.engine import HERE, Engine
from hdlgraph.index.explain.away import explained
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, Explainer
from hdlgraph.index.explain.neighbourhood import Surroundings
from hdlgraph.index.explain.texts import Texts, packed
from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.request import program_digest
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.explanations import usable

SIZE = 16
"""Bytes of a key, and of what stands for a file."""


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
    keys_of = _Keys(explainer, facts, around)
    found = Texts(record.path for record in records)
    keys: dict[str, str] = {}
    for record in records:
        path = record.path
        given = usable(imported, path, record.sha256)
        if given is not None:
            found[path] = given
        else:
            keys[path] = keys_of.of(record)
    keys_of.note()
    known = cache.views("explanations", keys.values())
    for path, key in keys.items():
        blob = known.get(key)
        if blob is not None:
            found.keep(path, blob)
    missing = [record for record in records if record.path not in found]
    fresh: dict[str, bytes] = {}
    for item in explained(missing, around, explainer, engine, shares):
        found[item.path] = item
        fresh[keys[item.path]] = packed(item)
    if fresh:
        cache.put_many("explanations", fresh)
    return found


_Noted = tuple[bytes, dict[str, bytes]]
"""What others say, and by path what stands for all that is the file's own with the key of that."""


class _Keys:
    """Keys of explanations: where a file and all around it are the same, those of the last run.

    Args:
        explainer: who explains.
        facts: the key of each path's facts.
        around: the surroundings of the files.
    """

    def __init__(
        self, explainer: Explainer, facts: Mapping[str, str], around: Surroundings
    ) -> None:
        self._explainer, self._facts, self._around = explainer, facts, around
        said = f"{explainer.name}\0{explainer.version}\0{program_digest()}\0"
        self._writer = said.encode()
        self._state = hashlib.blake2b(self._writer + explainer.state, digest_size=SIZE).digest()
        self._last: dict[str, bytes]
        state, self._last = last("explained", _Noted) or (b"", {})
        if state != self._state:
            self._last = {}
        self._now: dict[str, bytes] = {}

    def of(self, record: FileRecord) -> str:
        """Returns the key of the explanation of a file."""
        path = record.path
        own = self._facts[path].encode() + self._around.encoded(path)
        stamp = hashlib.blake2b(own, digest_size=SIZE).digest()
        known = self._last.get(path, b"")
        if known[:SIZE] == stamp:
            self._now[path] = known
            return known[SIZE:].hex()
        digest = self._explainer.key(record, self._around[path])
        key = hashlib.sha256(self._writer + own + digest).digest()[:SIZE]
        self._now[path] = stamp + key
        return key.hex()

    def note(self) -> None:
        """Notes the keys for the next run."""
        if self._now != self._last:
            note("explained", (self._state, self._now))
