"""What language models contribute to one run: explanations, a second pass over them, concepts.

Each part is kept beside the index as it arrives and used by later runs, asked for or not, as long
as its file is the same. A file that a model could not do falls back and waits for the next run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.index.explain.model.ask_file import Asker, Work
from hdlgraph.index.explain.model.kept import (
    DISTILLED,
    FIRST,
    SECOND,
    Written,
    add_written,
    fingerprint,
    given,
    pending,
    read_written,
)
from hdlgraph.index.explain.model.language_model import Asking
from hdlgraph.index.request import Request
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.results import ModelReport, WriterTrust
from hdlgraph.store.explanations import digest, read_jsonl
from hdlgraph.store.folder import Store

if TYPE_CHECKING:
    from hdlgraph.index.concepts.kept import FileConcepts

EXPLAIN, NEIGHBOURS, EXTRACT = "explain", "neighbours", "extract"
"""The stages, as reports and the manifest name them."""
METERED = {EXPLAIN: "write", NEIGHBOURS: "rewrite", EXTRACT: "distil"}
"""How progress and times name them."""
LABELS = {EXPLAIN: "", NEIGHBOURS: "second pass: ", EXTRACT: "concepts: "}


def wanted_stages(request: Request) -> list[str]:
    """Returns the stages that a run asks a model for."""
    explain, extract = request.settings.explain, request.settings.extract
    model = explain.explainer == "model"
    return [
        stage
        for stage, on in (
            (EXPLAIN, model),
            (NEIGHBOURS, model and explain.neighbours),
            (EXTRACT, extract.method == "both"),
        )
        if on
    ]


def told(request: Request) -> str:
    """Returns a digest of what models wrote that a run uses, "" for nothing."""
    explained = () if request.plain else (FIRST, SECOND)
    concepts = () if request.bare else (DISTILLED,)
    return fingerprint(*(request.folder / name for name in (*explained, *concepts)))


def contribute(
    ours: Contributions,
    asking: Asking,
    rest: Callable[[Mapping[str, Explanation]], dict[str, Explanation]],
) -> tuple[dict[str, Explanation], dict[str, FileConcepts]]:
    """Returns the explanations of all files and the concepts that models found, by path.

    Args:
        ours: what there is and what is wanted.
        asking: the model, if any is asked.
        rest: adds the explanations of files that nobody else explains.
    """
    wanted = wanted_stages(ours.request)
    asker = Asker(ours.request, ours.records) if EXPLAIN in wanted else None
    if asker is not None:
        ours.write(asking, asker)
    explanations = rest(ours.explanations())
    if asker is not None and NEIGHBOURS in wanted:
        ours.rewrite(asking, asker, explanations)
        explanations.update(ours.explanations())
    if EXTRACT in wanted:
        return explanations, ours.distil(asking, explanations)
    return explanations, ours.concepts(explanations)


@dataclass
class Contributions:
    """What a run found, asked for and got. Explanations are by path."""

    request: Request
    records: Sequence[FileRecord]
    imported: Mapping[str, Explanation]
    first: dict[str, Written]
    second: dict[str, Written]
    worth: Sequence[FileRecord]  # what a model may be asked about
    new: Counter[str] = field(default_factory=Counter)  # files done now, by stage
    fallbacks: list[str] = field(default_factory=list)
    undone: dict[str, int] = field(default_factory=dict)  # files that wait, by stage
    stopped: str = ""

    @classmethod
    def of(
        cls,
        request: Request,
        records: Sequence[FileRecord],
        worth: Sequence[FileRecord] | None = None,
    ) -> Contributions:
        """Returns what earlier runs left and this one may use.

        Args:
            request: what the run is asked.
            records: all files.
            worth: those that a model may be asked about; all when omitted.
        """
        folder = request.folder
        imported = Store(folder).imported
        ignored = request.fresh or request.plain
        return cls(
            request,
            records,
            read_jsonl(imported) if imported.is_file() else {},
            {} if ignored else read_written(folder / FIRST),
            {} if ignored else read_written(folder / SECOND),
            records if worth is None else worth,
        )

    def explanations(self) -> dict[str, Explanation]:
        """Returns the explanations that fit the present files: imported ones, then by models."""
        return given(self.records, self.imported, self.second, self.first)

    def write(self, asking: Asking, asker: Asker) -> None:
        """Has the model explain the files that nobody has explained."""
        chosen = self._waiting(self.imported, self.first)
        self._ask(asking, EXPLAIN, chosen, self.first, FIRST, asker.explain)

    def rewrite(
        self, asking: Asking, asker: Asker, explanations: Mapping[str, Explanation]
    ) -> None:
        """Has the model rewrite what it wrote, with the explanations of the neighbours in sight."""
        written = given(self.records, self.first)
        chosen = [r for r in self._waiting(self.imported, self.second) if r.path in written]
        work = asker.rewriter(written, explanations)
        alone = self._ask(asking, NEIGHBOURS, chosen, self.second, SECOND, work)
        # A file without neighbours keeps what it has, and is done.
        same = [self.first[path] for path in alone]
        if same:
            add_written(self.request.folder / SECOND, same)
        self.second.update((item.path, item) for item in same)

    def _ask(
        self,
        asking: Asking,
        stage: str,
        chosen: Sequence[FileRecord],
        kept: dict[str, Written],
        name: str,
        work: Work,
    ) -> tuple[str, ...]:
        """Asks about the chosen files; what arrived is on disk however this ends.

        Returns:
            The files about which there was nothing to ask.
        """
        done: list[Written] = []
        skipped: tuple[str, ...] = ()
        failed: dict[str, str] = {}
        try:
            if chosen:
                with asking.meter.stage(METERED[stage], len(chosen)) as tick:

                    def on_done(item: Written) -> None:
                        done.append(item)
                        tick(len(done))

                    found = asking.run(METERED[stage], lambda m: work(m, chosen, on_done))
                    failed = {one.path: one.reason for one in found.fallbacks}
                    skipped = found.skipped
        finally:
            if done:
                add_written(self.request.folder / name, done)
        kept.update((item.path, item) for item in done)
        self.new[stage] = len(done)
        self._fell_back(stage, failed)
        return skipped

    def distil(
        self, asking: Asking, explanations: Mapping[str, Explanation]
    ) -> dict[str, FileConcepts]:
        """Has the model find the concepts of all files; returns those there are, by path."""
        from hdlgraph.index.concepts.ask import distil_concepts
        from hdlgraph.index.concepts.kept import read_distilled, write_distilled

        request = self.request
        target = request.folder / DISTILLED
        known = {} if request.fresh else read_distilled(target)
        done: dict[str, FileConcepts] = {}
        try:
            with asking.meter.stage(METERED[EXTRACT], len(explanations)) as tick:

                def on_done(item: FileConcepts) -> None:
                    about = digest(explanations[item.path])
                    done[item.path] = msgspec.structs.replace(item, about=about)
                    tick(len(done))

                found = asking.run(
                    METERED[EXTRACT],
                    lambda model: distil_concepts(
                        model,
                        self.records,
                        explanations,
                        request.settings,
                        known=known,
                        prompts=request.prompts,
                        on_done=on_done,
                    ),
                )
        finally:
            if done:
                write_distilled(target, {**read_distilled(target), **done})
        self.new[EXTRACT] = len(done)
        waiting = dict.fromkeys(found.pending, found.stopped)
        self._fell_back(EXTRACT, {**found.failed, **waiting})
        return {**found.files, **done}

    def concepts(self, explanations: Mapping[str, Explanation]) -> dict[str, FileConcepts]:
        """Returns the concepts of earlier runs whose explanations are the same, by path."""
        from hdlgraph.index.concepts.kept import read_distilled

        if self.request.bare or self.request.fresh:
            return {}
        return {
            path: item
            for path, item in read_distilled(self.request.folder / DISTILLED).items()
            if path in explanations and item.about == digest(explanations[path])
        }

    def _fell_back(self, stage: str, failed: Mapping[str, str]) -> None:
        self.undone[stage] = len(failed)
        for path, reason in sorted(failed.items()):
            told = reason.removeprefix(f"{path}: ")
            self.fallbacks.append(f"{path}: {LABELS[stage]}{told}")

    def pending(self) -> dict[str, int]:
        """Returns how many files wait, by stage; a stage that never was asked for is left out."""
        wanted = set(wanted_stages(self.request))
        found = {stage: n for stage, n in self.undone.items() if stage in wanted}
        if self.first and EXPLAIN not in found:
            found[EXPLAIN] = len(self._waiting(self.imported, self.first))
        if self.second and NEIGHBOURS not in found:
            found[NEIGHBOURS] = len(self._waiting(self.imported, self.second))
        return dict(sorted(found.items()))

    def told(self) -> str:
        """Returns the digest of what models wrote that this run used."""
        found = told(self.request)
        # What --fresh has passed over is used again by the next run without it.
        return "fresh" if found and self.request.fresh else found

    def writers(self, explanations: Mapping[str, Explanation]) -> dict[str, int]:
        """Returns how many explanations each writer has: a model, "imported", "deterministic"."""
        return dict(sorted(Counter(map(self._writer, explanations.values())).items()))

    def _writer(self, item: Explanation) -> str:
        if item is self.imported.get(item.path):
            return "imported"
        return item.model

    def trust(self, explanations: Mapping[str, Explanation]) -> tuple[WriterTrust, ...]:
        """Returns how often the models of the explanations in use made names up."""
        by_model: dict[str, list[Written]] = {}
        for _, item in sorted(explanations.items()):
            if isinstance(item, Written):
                by_model.setdefault(item.model, []).append(item)
        return tuple(_trust(model, items) for model, items in sorted(by_model.items()))

    def report(self, asking: Asking) -> ModelReport:
        """Returns what this run had models do."""
        return ModelReport(
            usage=asking.usage,
            written=self.new[EXPLAIN],
            rewritten=self.new[NEIGHBOURS],
            distilled=self.new[EXTRACT],
            fallbacks=tuple(self.fallbacks),
            pending=self.pending(),
            stopped=asking.stopped,
        )

    def _waiting(self, *sources: Mapping[str, Explanation]) -> list[FileRecord]:
        worth = {r.path: r.sha256 for r in self.worth if r.size and r.encoding != "binary"}
        paths = set(pending(worth, *sources))
        return [record for record in self.worth if record.path in paths]


def _trust(model: str, items: Sequence[Written]) -> WriterTrust:
    names = sum(item.names for item in items)
    invented = sum(len(item.invented) for item in items)
    return WriterTrust(
        model=model,
        files=len(items),
        names=names,
        invented=invented,
        rate=round(invented / names, 4) if names else 0.0,
        repaired=sum(item.repaired for item in items),
    )
