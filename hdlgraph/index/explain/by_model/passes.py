"""The passes of a language model over the files of one run: two of explanations, one of concepts.

What a pass yields is kept beside the index as it arrives, and later runs use it as long as its file
is the same. A file on which the model failed keeps what it had and waits for the next run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.index.explain.by_model.ask_file import TwoPasses, Work
from hdlgraph.index.explain.by_model.kept import (
    CONCEPTS,
    FIRST,
    SECOND,
    ModelExplanation,
    add_kept,
    fingerprint,
    given,
    pending,
    read_kept,
)
from hdlgraph.index.explain.by_model.language_model import RunModel
from hdlgraph.index.explain.texts import Texts
from hdlgraph.index.request import Request
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.results import ModelReport, WriterTrust
from hdlgraph.store.explanations import OWN, digest, read_imported
from hdlgraph.store.folder import Store

if TYPE_CHECKING:
    from hdlgraph.index.concepts.kept import FileConcepts

EXPLAIN, NEIGHBOURS, EXTRACT = "explain", "neighbours", "extract"
"""The stages, as reports and the manifest name them."""
METERED = {EXPLAIN: "explain-model", NEIGHBOURS: NEIGHBOURS, EXTRACT: EXTRACT}
"""How progress, times and usage name them; 'explain' there is the work without a model."""
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


def digest_kept(request: Request) -> str:
    """Returns a digest of the models' texts that a run uses, "" for none."""
    explained = () if request.plain else (FIRST, SECOND)
    concepts = () if request.bare else (CONCEPTS,)
    return fingerprint(*(request.folder / name for name in (*explained, *concepts)))


def run_passes(
    passes: Passes,
    model: RunModel,
    rest: Callable[[Mapping[str, Explanation]], Texts],
) -> tuple[Texts, dict[str, FileConcepts]]:
    """Returns the explanations of all files and the concepts that models found, by path.

    Args:
        passes: what there is and what is wanted.
        model: the model of the run, if any is asked.
        rest: adds the explanations of files that nobody else explains.
    """
    wanted = wanted_stages(passes.request)
    two_passes = TwoPasses(passes.request, passes.records) if EXPLAIN in wanted else None
    if two_passes is not None:
        passes.explain(model, two_passes)
    explanations = rest(passes.explanations())
    if two_passes is not None and NEIGHBOURS in wanted:
        passes.add_neighbours(model, two_passes, explanations)
        explanations.update(passes.explanations())
    if EXTRACT in wanted:
        return explanations, passes.extract(model, explanations)
    return explanations, passes.concepts(explanations)


@dataclass
class Passes:
    """The passes of one run: what earlier runs left, what this one asked for and got, by path."""

    request: Request
    records: Sequence[FileRecord]
    imported: Mapping[str, Explanation]
    first: dict[str, ModelExplanation]
    second: dict[str, ModelExplanation]
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
    ) -> Passes:
        """Reads what earlier runs left and returns the passes of this run.

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
            read_imported(imported),
            {} if ignored else read_kept(folder / FIRST),
            {} if ignored else read_kept(folder / SECOND),
            records if worth is None else worth,
        )

    def explanations(self) -> dict[str, Explanation]:
        """Returns the explanations that fit the present files: imported ones, then by models."""
        return given(self.records, self.imported, self.second, self.first)

    def explain(self, model: RunModel, two_passes: TwoPasses) -> None:
        """Has the model explain the files that nobody has explained."""
        chosen = self._waiting(self.imported, self.first)
        self._ask(model, EXPLAIN, chosen, self.first, FIRST, two_passes.explain)

    def add_neighbours(
        self, model: RunModel, two_passes: TwoPasses, explanations: Mapping[str, Explanation]
    ) -> None:
        """Has the model explain files again, with the explanations of their neighbours in sight."""
        written = given(self.records, self.first)
        chosen = [r for r in self._waiting(self.imported, self.second) if r.path in written]
        work = two_passes.rewriter(written, explanations)
        alone = self._ask(model, NEIGHBOURS, chosen, self.second, SECOND, work)
        # A file without neighbours keeps what it has, and is done.
        same = [self.first[path] for path in alone]
        if same:
            add_kept(self.request.folder / SECOND, same)
        self.second.update((item.path, item) for item in same)

    def _ask(
        self,
        model: RunModel,
        stage: str,
        chosen: Sequence[FileRecord],
        kept: dict[str, ModelExplanation],
        name: str,
        work: Work,
    ) -> tuple[str, ...]:
        """Asks about the chosen files; what arrived is on disk however this ends.

        Returns:
            The files about which there was nothing to ask.
        """
        done: list[ModelExplanation] = []
        skipped: tuple[str, ...] = ()
        failed: dict[str, str] = {}
        try:
            if chosen:
                with model.meter.stage(METERED[stage], len(chosen)) as tick:

                    def on_done(item: ModelExplanation) -> None:
                        done.append(item)
                        tick(len(done))

                    found = model.run(METERED[stage], lambda llm: work(llm, chosen, on_done))
                    failed = {one.path: one.reason for one in found.fallbacks}
                    skipped = found.skipped
        finally:
            if done:
                add_kept(self.request.folder / name, done)
        kept.update((item.path, item) for item in done)
        self.new[stage] = len(done)
        self._fell_back(stage, failed)
        return skipped

    def extract(
        self, model: RunModel, explanations: Mapping[str, Explanation]
    ) -> dict[str, FileConcepts]:
        """Has the model find the concepts of all files; returns those there are, by path."""
        from hdlgraph.index.concepts.ask import ask_concepts
        from hdlgraph.index.concepts.kept import read_concepts, write_concepts

        request = self.request
        target = request.folder / CONCEPTS
        known = {} if request.fresh else read_concepts(target)
        done: dict[str, FileConcepts] = {}
        try:
            with model.meter.stage(METERED[EXTRACT], len(explanations)) as tick:

                def on_done(item: FileConcepts) -> None:
                    about = digest(explanations[item.path])
                    done[item.path] = msgspec.structs.replace(item, about=about)
                    tick(len(done))

                found = model.run(
                    METERED[EXTRACT],
                    lambda llm: ask_concepts(
                        llm,
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
                write_concepts(target, {**read_concepts(target), **done})
        self.new[EXTRACT] = len(done)
        waiting = dict.fromkeys(found.pending, found.stopped)
        self._fell_back(EXTRACT, {**found.failed, **waiting})
        return {**found.files, **done}

    def concepts(self, explanations: Mapping[str, Explanation]) -> dict[str, FileConcepts]:
        """Returns the concepts of earlier runs whose explanations are the same, by path."""
        from hdlgraph.index.concepts.kept import read_concepts

        if self.request.bare or self.request.fresh:
            return {}
        return {
            path: item
            for path, item in read_concepts(self.request.folder / CONCEPTS).items()
            if path in explanations and item.about == digest(explanations[path])
        }

    def _fell_back(self, stage: str, failed: Mapping[str, str]) -> None:
        self.undone[stage] = len(failed)
        for path, reason in sorted(failed.items()):
            why = reason.removeprefix(f"{path}: ")
            self.fallbacks.append(f"{path}: {LABELS[stage]}{why}")

    def pending(self) -> dict[str, int]:
        """Returns how many files wait, by stage; a stage that never was asked for is left out."""
        wanted = set(wanted_stages(self.request))
        found = {stage: n for stage, n in self.undone.items() if stage in wanted}
        if self.first and EXPLAIN not in found:
            found[EXPLAIN] = len(self._waiting(self.imported, self.first))
        if self.second and NEIGHBOURS not in found:
            found[NEIGHBOURS] = len(self._waiting(self.imported, self.second))
        return dict(sorted(found.items()))

    def digest(self) -> str:
        """Returns the digest of the models' texts that this run used."""
        found = digest_kept(self.request)
        # What --fresh has passed over is used again by the next run without it.
        return "fresh" if found and self.request.fresh else found

    def writers(self, explanations: Texts) -> dict[str, int]:
        """Returns how many explanations each writer has: a model, "imported", "deterministic"."""
        told = explanations.told()
        found = Counter(map(self._writer, told.values()))
        if kept := len(explanations) - len(told):
            found[OWN] += kept
        return dict(sorted(found.items()))

    def _writer(self, item: Explanation) -> str:
        if item is self.imported.get(item.path):
            return "imported"
        return item.model

    def trust(self, explanations: Texts) -> tuple[WriterTrust, ...]:
        """Returns, for each model, how many names in its explanations stand in no file."""
        by_model: dict[str, list[ModelExplanation]] = {}
        for _, item in sorted(explanations.told().items()):
            if isinstance(item, ModelExplanation):
                by_model.setdefault(item.model, []).append(item)
        return tuple(_trust(model, items) for model, items in sorted(by_model.items()))

    def report(self, model: RunModel) -> ModelReport:
        """Returns the counts, failures and costs of the passes."""
        return ModelReport(
            usage=model.usage,
            done={stage: self.new[stage] for stage in (EXPLAIN, NEIGHBOURS, EXTRACT)},
            fallbacks=tuple(self.fallbacks),
            pending=self.pending(),
            stopped=model.stopped,
        )

    def _waiting(self, *sources: Mapping[str, Explanation]) -> list[FileRecord]:
        worth = {r.path: r.sha256 for r in self.worth if r.size and r.encoding != "binary"}
        paths = set(pending(worth, *sources))
        return [record for record in self.worth if record.path in paths]


def _trust(model: str, items: Sequence[ModelExplanation]) -> WriterTrust:
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
