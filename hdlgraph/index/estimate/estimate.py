"""Estimates what a run with a model would send and cost; nothing is sent or written.

The same code asks the same calls of a model that answers with filler, so what is counted is what
would be sent: parts of large files, merges, a second pass, concepts. Answers already stored are
taken as they are. Files are read, and the index folder is copied, not touched.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from hdlgraph.index.estimate.methods import Extraction, compare_extraction, side_by_side
from hdlgraph.index.estimate.rehearse import Counted, Rehearsal
from hdlgraph.index.explain.by_model.kept import CONCEPTS, FIRST, SECOND
from hdlgraph.index.explain.by_model.passes import EXPLAIN, EXTRACT, NEIGHBOURS
from hdlgraph.index.fork import no_collection
from hdlgraph.index.progress import Meter, Progress, silent
from hdlgraph.index.request import Request
from hdlgraph.index.stages import explaining, reading
from hdlgraph.llm.endpoint.endpoint import label_of
from hdlgraph.llm.spend import BATCH_SHARE, Price, price_of
from hdlgraph.results import Estimate, StageEstimate
from hdlgraph.store.cache import PACKED, packed_file
from hdlgraph.store.folder import Store, make_folder
from hdlgraph.store.guard import check_readable

if TYPE_CHECKING:
    pass

T = TypeVar("T")
MERGE, STOCK = "merge", "extract_graph"
STAGES = (EXPLAIN, MERGE, NEIGHBOURS, EXTRACT, STOCK)
STOCK_ANSWER = 4000  # output tokens of an answer to it, at most
COPIED = (
    *("imported.jsonl", FIRST, SECOND, CONCEPTS, "answers.sqlite", "cache.sqlite"),
    *(packed_file(Path("cache.sqlite"), namespace).name for namespace in PACKED),
)


def estimate(request: Request, progress: Progress = silent) -> Estimate:
    """Returns what a run would send, stage by stage and in all.

    Raises:
        UsageError: there is no Verilog in the repository, or a prompt cannot be used.
    """
    from hdlgraph.index.discover.find import find_files
    from hdlgraph.prompts import check_prompts

    check_prompts(request.prompts)
    if not request.asks:
        return _summed(request, len(find_files(request, None).files), {}, ())
    with (
        copied(request) as there,
        Meter(progress) as meter,
        Store(there.folder).write() as run,
        Rehearsal(there, meter) as model,
        no_collection(),
    ):
        found = find_files(there, None)
        records, keys = reading.parse(there, run, meter, found)
        explained = explaining.explain(there, run, meter, records, keys, run.begin(), model)
        counted = model.counted
        if EXTRACT in counted:
            counted[EXTRACT].files = explained.models.done[EXTRACT]
        methods: Sequence[Extraction] = ()
        if request.settings.extract.method != "ast":
            methods = compare_extraction(
                records, explained.explanations, request.settings, prompts=request.prompts
            )
        if request.settings.extract.method == "llm":
            most = max(STOCK_ANSWER, request.settings.llm.output_tokens)
            counted[STOCK] = _stock(methods[-1], len(records), most)
        return _summed(request, len(records), counted, methods)


@contextmanager
def copied(request: Request) -> Iterator[Request]:
    """Yields the same request for a temporary copy of the index folder."""
    with TemporaryDirectory(prefix="hdlgraph-") as place:
        folder = Path(place)
        check_readable(request.folder)
        make_folder(folder)
        for name in COPIED:
            for suffix in ("", "-wal"):
                source = request.folder / f"{name}{suffix}"
                if source.is_file() and not (request.fresh and name.startswith("cache")):
                    shutil.copyfile(source, folder / source.name)
        yield replace(request, folder=folder)


def _summed(
    request: Request,
    n_files: int,
    counted: Mapping[str, Counted],
    methods: Sequence[Extraction] = (),
) -> Estimate:
    llm = request.settings.llm
    price = price_of(llm, llm.build_model)
    share = BATCH_SHARE if request.batch else 1.0
    found = [_priced(stage, counted[stage], price, share) for stage in STAGES if stage in counted]
    return Estimate(
        root=str(request.root),
        files=n_files,
        model=llm.build_model,
        endpoint=label_of(llm) if llm.provider != "none" else "",
        stages=(*found, _total(found, n_files)),
        notes=(
            *_notes(request, price is not None),
            *([side_by_side(methods)] if methods else ()),
        ),
    )


def _stock(found: Extraction, files: int, most: int) -> Counted:
    """Returns the calls and tokens that GraphRAG's own extraction begins with."""
    return Counted(
        files=files,
        calls=found.calls,
        input_tokens=round(found.input_tokens * files),
        typical=round(found.output_tokens * files),
        most=found.calls * most,
    )


def _priced(stage: str, one: Counted, price: Price | None, share: float) -> StageEstimate:
    return StageEstimate(
        stage=stage,
        files=one.files,
        calls=one.calls,
        stored=one.stored,
        input_tokens=one.input_tokens,
        output_tokens_most=one.most,
        output_tokens_typical=one.typical,
        cost_most=price.cost(one.input_tokens, one.most, share) if price else None,
        cost_typical=price.cost(one.input_tokens, one.typical, share) if price else None,
    )


def _total(found: Sequence[StageEstimate], files: int) -> StageEstimate:
    def added(name: str) -> Any:
        values = [getattr(one, name) for one in found]
        return None if None in values else sum(values)

    names = StageEstimate.__struct_fields__[2:]
    return StageEstimate("total", files, *map(added, names))


def _notes(request: Request, priced: bool) -> Iterator[str]:
    llm = request.settings.llm
    if not request.asks:
        yield "this run asks no model; add --explain model, --neighbours or --extract both"
        return
    if llm.provider == "none":
        yield (
            "no language model is configured (llm.provider), so answers paid before were not "
            "looked for"
        )
    if not priced:
        yield (
            "the price is not known: set llm.build_input_price and llm.build_output_price (USD "
            "per million tokens; 0 for a local model)"
        )
    if request.batch:
        yield "prices are those of the Batch API, half of the others"
    if request.settings.extract.method == "llm":
        yield "GraphRAG's own extraction also has descriptions summarised, which is not counted"
