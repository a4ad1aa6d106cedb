"""What a run with a model would send and cost, found by rehearsing it: nothing is sent or written.

The same code asks the same calls of a model that answers with filler, so what is counted is what
would be sent: parts of large files, merges, a second pass, concepts. Answers already stored are
taken as they are. Files are read, and the index folder is copied, not touched.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hdlgraph.index import stages
from hdlgraph.index.asking import Asking
from hdlgraph.index.authors import EXPLAIN, EXTRACT, NEIGHBOURS
from hdlgraph.index.beside import no_collection
from hdlgraph.index.compare import Extraction, compare_extraction, side_by_side
from hdlgraph.index.meter import Meter, Progress, silent
from hdlgraph.index.request import Request
from hdlgraph.index.store import Store
from hdlgraph.index.written import DISTILLED, FIRST, SECOND
from hdlgraph.llm.call import Call, Completion, Model
from hdlgraph.llm.endpoint import label_of
from hdlgraph.llm.spend import BATCH_SHARE, Price, price_of
from hdlgraph.model import Explanation
from hdlgraph.results import Estimate, StageEstimate

if TYPE_CHECKING:
    from hdlgraph.llm.store import AnswerStore

T = TypeVar("T")
MERGE, STOCK = "merge", "extract_graph"
STAGES = (EXPLAIN, MERGE, NEIGHBOURS, EXTRACT, STOCK)
CHUNK, OVERLAP = 1200, 100  # tokens of GraphRAG's text units
STOCK_ANSWER = 4000  # output tokens of an answer to it, at most
TYPICAL = {EXPLAIN: 330, MERGE: 330, NEIGHBOURS: 330, EXTRACT: 700, STOCK: 900}
"""Output tokens of a usual answer. 300 explanations written by a large model took 320 on average;
for concepts, 90 for each of eight files."""
FILLER = "counts the events that arrive on its input and tells when a limit has been reached "
COPIED = ("imported.jsonl", FIRST, SECOND, DISTILLED, "answers.sqlite", "cache.sqlite")


def estimate(request: Request, progress: Progress = silent) -> Estimate:
    """Returns what a run would send, stage by stage and in all.

    Raises:
        UsageError: there is no Verilog in the repository, or a prompt cannot be used.
    """
    from hdlgraph.index.run import find_files
    from hdlgraph.prompts import check_prompts

    check_prompts(request.prompts)
    with (
        _copy(request) as there,
        Meter(progress) as meter,
        Store(there.folder).write() as run,
        Rehearsal(there, meter) as asking,
        no_collection(),
    ):
        found = find_files(there, None)
        records, keys = stages.parse(there, run, meter, found)
        told = stages.explain(there, run, meter, records, keys, run.begin(), asking)
        counted = asking.counted
        if EXTRACT in counted:
            counted[EXTRACT].files = told.models.distilled
        if request.settings.extract.method == "llm":
            most = max(STOCK_ANSWER, request.settings.llm.output_tokens)
            counted[STOCK] = _stock(told.explanations.values(), most)
        methods: Sequence[Extraction] = ()
        if request.settings.extract.method != "ast":
            methods = compare_extraction(
                records, told.explanations, request.settings, prompts=request.prompts
            )
        return _summed(request, len(records), counted, methods)


@contextmanager
def _copy(request: Request) -> Iterator[Request]:
    """Yields the request with an index folder that may be written and is thrown away."""
    with TemporaryDirectory(prefix="hdlgraph-") as place:
        folder = Path(place)
        for name in COPIED:
            for suffix in ("", "-wal"):
                source = request.folder / f"{name}{suffix}"
                if source.is_file() and not (request.fresh and name == "cache.sqlite"):
                    shutil.copyfile(source, folder / source.name)
        yield replace(request, folder=folder)


@dataclass
class _Counted:
    """The calls of one stage about how many files."""

    files: int = 0
    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    most: int = 0
    typical: int = 0


class Rehearsal(Asking):
    """Asks a model that sends nothing, and counts what would be sent."""

    def __init__(self, request: Request, meter: Meter) -> None:
        super().__init__(request, meter)
        self.counted: dict[str, _Counted] = {}

    def __enter__(self) -> Rehearsal:
        return self

    def run(self, stage: str, work: Callable[[Model], Awaitable[T]]) -> T:
        """Returns the value of a coroutine that is given the rehearsing model."""
        from hdlgraph.llm.client import run
        from hdlgraph.llm.session import STORE
        from hdlgraph.llm.store import AnswerStore

        if self._store is None:
            self._store = AnswerStore(self.request.folder / STORE)
        model = _Filler(self.request, self._store, self.counted)

        async def rehearse() -> T:
            return await work(model)

        return run(rehearse())


class _Filler:
    """A model that answers from the store, else with words that mean nothing."""

    def __init__(self, request: Request, store: AnswerStore, counted: dict[str, _Counted]) -> None:
        self.store, self.counted = store, counted
        self.seen: set[tuple[str, str]] = set()
        self.label = label_of(request.settings.llm)
        self.most_items = request.settings.extract.batch

    async def complete(self, call: Call) -> Completion:
        """Returns the stored answer of a call, or filler of its schema."""
        from hdlgraph.llm.tokens import count_messages

        count = self.counted.setdefault(call.stage, _Counted())
        count.calls += 1
        count.files += (call.stage, call.name) not in self.seen
        self.seen.add((call.stage, call.name))
        known = self.store.get(call.digest(self.label))
        if known is not None:
            count.stored += 1
            return known
        count.input_tokens += count_messages(call)
        count.most += call.max_tokens
        count.typical += min(call.max_tokens, TYPICAL.get(call.stage, call.max_tokens))
        text = msgspec.json.encode(filler(call.schema or {}, self.most_items)).decode()
        return Completion(text=text, model=call.model)


def filler(schema: Mapping[str, Any], items: int) -> Any:
    """Returns a value that a schema admits, with about as much text as a usual answer.

    Args:
        schema: of a JSON value.
        items: entries of a list whose entries are numbered.
    """
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: filler(part, items) for name, part in schema["properties"].items()}
        case "array":
            return _listed(schema["items"], items)
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return FILLER * 3


def _listed(part: Mapping[str, Any], items: int) -> list[Any]:
    if part.get("type") == "string":
        return ["event counter", "limit detection", "interrupt request", "threshold register"]
    numbered = [
        name for name, one in part.get("properties", {}).items() if one.get("type") == "integer"
    ]
    return [
        {**filler(part, items), **dict.fromkeys(numbered, number)}
        for number in range(1, items + 1)
        if numbered
    ]


def _summed(
    request: Request,
    n_files: int,
    counted: Mapping[str, _Counted],
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


def _stock(explanations: Iterable[Explanation], most: int) -> _Counted:
    """Returns what GraphRAG's own extraction begins with: a call for each chunk of a text."""
    from hdlgraph.llm.tokens import count_tokens
    from hdlgraph.prompts import prompt_text

    prompt = count_tokens(prompt_text("extract_graph"))
    count = _Counted()
    for item in explanations:
        tokens = count_tokens(item.to_text())
        more = max(0, math.ceil((tokens - CHUNK) / (CHUNK - OVERLAP)))
        count.files += 1
        count.calls += 1 + more
        count.input_tokens += (1 + more) * prompt + tokens + more * OVERLAP
    count.typical = count.calls * TYPICAL[STOCK]
    count.most = count.calls * most
    return count


def _priced(stage: str, one: _Counted, price: Price | None, share: float) -> StageEstimate:
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
