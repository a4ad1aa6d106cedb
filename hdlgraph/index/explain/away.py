"""Explains files on other machines; each is sent with its facts and its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from hdlgraph.index.engine.engine import Engine
from hdlgraph.index.explain.by_rules.evidence.of_files import Evidence, FileEvidence, Settled
from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, Explainer
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.index.fork import trim
from hdlgraph.index.parse.late import whole
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.model import Explanation, FileRecord

BATCH_FILES = 48
AT_ONCE = 4096
"""Files of which explanations that this machine writes are held decoded."""


class _Parcel(msgspec.Struct, frozen=True, array_like=True):
    record: FileRecord
    around: Neighbourhood
    known: FileEvidence


class ExplainWork:
    """Explains files by rules, from what is sent with them."""

    def __init__(self, settled: Settled) -> None:
        self.settled = settled

    def __reduce__(self) -> tuple[type[ExplainWork], tuple[Settled]]:
        return ExplainWork, (self.settled,)

    def __call__(self, parcel: bytes) -> list[Explanation]:
        """Returns the explanation of each file, in the order of the parcel."""
        out = []
        for one in msgspec.msgpack.decode(parcel, type=list[_Parcel]):
            self._evidence.add(one.record.path, one.known)
            out.append(self._explainer.explain(one.record, one.around))
        return out

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence.of_settled(self.settled)

    @cached_property
    def _explainer(self) -> DeterministicExplainer:
        return DeterministicExplainer(self._evidence)


def explained(
    records: Sequence[FileRecord],
    around: Mapping[str, Neighbourhood],
    explainer: Explainer,
    engine: Engine,
    shares: Shares = ALONE,
) -> Iterator[Explanation]:
    """Yields the explanation of each file, on a cluster in no fixed order."""
    if not engine.spreads or not isinstance(explainer, DeterministicExplainer):

        def write(some: Sequence[FileRecord]) -> list[Explanation]:
            return [explainer.explain(record, around[record.path]) for record in some]

        for at in range(0, len(records), AT_ONCE):
            yield from shares.map("explanations", write, records[at : at + AT_ONCE])
            trim()
        return
    evidence = explainer.evidence

    def parcel(record: FileRecord) -> msgspec.Raw:
        near = around[record.path]
        known = evidence.of(record, near)
        # Encoded one by one: the facts of a file stay decoded for a while only.
        return msgspec.Raw(msgspec.msgpack.encode(_Parcel(whole(record), near, known)))

    parcels = (
        msgspec.msgpack.encode(list(map(parcel, records[at : at + BATCH_FILES])))
        for at in range(0, len(records), BATCH_FILES)
    )
    for _, found in engine.map("explain", ExplainWork(evidence.settled), parcels):
        yield from found
