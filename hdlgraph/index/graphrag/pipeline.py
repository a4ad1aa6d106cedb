"""Runs the `hdl` pipeline of Microsoft GraphRAG 3.3 and opens the tables that it makes.

Importing it takes seconds and changes the process (litellm, tiktoken, logging), so that indexing
runs it in a process of its own (`build.py`). `open_tables` is for programs that want
GraphRAG's own query methods over the tables.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import BuildError, SettingsError
from hdlgraph.index.graphrag.chat_model import Talk, completion
from hdlgraph.index.graphrag.entities import stable_id
from hdlgraph.index.graphrag.inputs import Inputs
from hdlgraph.index.graphrag.steps import workflows
from hdlgraph.safety.safe_files import read_regular
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.index.embed.embedder import Embedder

PROVIDER = "hdlgraph"
QUERY = "graphrag_query"  # the stage of calls that answer questions
TABLES = "documents text_units entities relationships communities community_reports".split()
PIPELINE = (
    "load_input_documents",
    "create_base_text_units",
    "hdl_text_unit_ids",
    "create_final_documents",
    "hdl_final_graph",
    "hdl_communities",
    "hdl_final_text_units",
    "hdl_reports",
    "hdl_vectors",
)
BY_MODEL = tuple("hdl_model_graph" if step == "hdl_final_graph" else step for step in PIPELINE)


@dataclass(frozen=True)
class Built:
    """Row counts of the tables, seconds of each workflow, and the vectors of parts to keep."""

    counts: dict[str, int]
    stages: list[tuple[str, float]]
    embedded: int
    parts: Mapping[str, Any]


def load_config(output: Path, settings_file: Path | None = None, dim: int = 384) -> Any:
    """Returns GraphRAG's configuration with every path below `output`, the tables' folder.

    Neither the working directory nor the environment is changed; no .env file is read.

    Raises:
        BuildError: GraphRAG refuses the file; the message is GraphRAG's.
    """
    import tempfile

    from graphrag.config.models.graph_rag_config import GraphRagConfig
    from graphrag_common.config import load_config as load

    from hdlgraph.settings.records import render_settings

    overrides = _overrides(output.resolve(), dim)
    try:
        if settings_file is not None:
            prompts = _prompts(settings_file.resolve().parent / "prompts")
            for section, values in _left_out(settings_file).items():
                ours = {**overrides.get(section, {}), **prompts.get(section, {})}
                overrides[section] = {**values, **ours}
            return load(
                GraphRagConfig, settings_file, overrides, set_cwd=False, load_dot_env_file=False
            )
        overrides |= _prompts(Path(__file__).parent / "none")
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary, "settings.yaml")
            path.write_text(render_settings(), encoding="utf-8")
            return load(GraphRagConfig, path, overrides, set_cwd=False, load_dot_env_file=False)
    except (ValueError, OSError) as error:
        place = settings_file or "the default settings"
        raise BuildError(f"GraphRAG refuses {place}: {error}; correct its sections") from error


def _overrides(output: Path, dim: int) -> dict[str, Any]:
    base = output.parent
    return {
        "input_storage": {"type": "file", "base_dir": str(base)},
        "output_storage": {"type": "file", "base_dir": str(output)},
        "update_output_storage": {"type": "file", "base_dir": str(base / "update")},
        "reporting": {"type": "file", "base_dir": str(base / "logs")},
        "cache": {"type": "none", "storage": None},
        "table_provider": {"type": "parquet"},
        "vector_store": {
            "type": "lancedb",
            "db_uri": str(output / "lancedb"),
            "vector_size": dim,
        },
        "workflows": None,
    }


def _left_out(settings_file: Path) -> dict[str, dict[str, Any]]:
    """Returns the settings of our own template that a file leaves out.

    GraphRAG's own defaults look for people and places, and ask everything twice.
    """
    import yaml

    from hdlgraph.settings.nodes import BYTES, compose, values_of
    from hdlgraph.settings.records import render_settings
    from hdlgraph.settings.render import SECTION

    try:
        text = read_regular(settings_file, BYTES).decode("utf-8")
        own = values_of(compose(text, settings_file))
    except (OSError, ValueError, SettingsError, yaml.YAMLError):
        own = None  # GraphRAG says what is wrong with it
    own = own if isinstance(own, dict) else {}
    found = {}
    for section, values in yaml.safe_load(render_settings()).items():
        theirs = own.get(section)
        if section == SECTION or not isinstance(values, dict):
            continue
        if theirs is None:
            found[section] = values
        elif isinstance(theirs, dict) and not section.endswith("_models"):
            found[section] = {key: value for key, value in values.items() if key not in theirs}
    return found


def _prompts(folder: Path) -> dict[str, Any]:
    """Returns absolute prompt paths: those of a project where it has them, else our own."""
    from hdlgraph.prompts import prompt_path

    found = {}
    for section, name in (
        ("extract_graph", "extract_graph"),
        ("local_search", "local_search_system_prompt"),
    ):
        own = folder / f"{name}.txt"
        found[section] = {"prompt": str(own if own.is_file() else prompt_path(name))}
    own = folder / "community_report_graph.txt"
    if own.is_file():
        found["community_reports"] = {"graph_prompt": str(own)}
    return found


def register_models(embedder: Embedder | None, talk: Talk) -> None:
    """Makes `type: hdlgraph` known to GraphRAG: our embedder, and llm.query_model as its chat."""
    from graphrag_llm.completion import register_completion
    from graphrag_llm.embedding import register_embedding

    def chat(*, tokenizer: Any, metrics_store: Any, **_: Any) -> Any:
        model = talk.settings.llm.query_model
        return completion(talk, QUERY, model, tokenizer=tokenizer, metrics_store=metrics_store)

    register_embedding(PROVIDER, _embedding_class(embedder), "transient")
    register_completion(PROVIDER, chat, "transient")


def _embedding_class(embedder: Embedder | None) -> type:
    """Returns the class by which GraphRAG has questions embedded."""
    from graphrag_llm.embedding import LLMEmbedding
    from graphrag_llm.types import LLMEmbedding as Row
    from graphrag_llm.types import LLMEmbeddingResponse, LLMEmbeddingUsage

    class HdlEmbedding(LLMEmbedding):
        """Embeds the questions that GraphRAG asks with our embedder; passages are never asked."""

        def __init__(self, *, tokenizer: Any, metrics_store: Any, **_: Any) -> None:
            self._tokenizer = tokenizer
            self._metrics_store = metrics_store

        def embedding(self, /, **kwargs: Any) -> Any:
            if embedder is None:
                raise BuildError("no embedder: install the weights or set embedding.provider")
            rows = embedder.embed(list(kwargs["input"]), query=True)
            data = [
                Row(object="embedding", embedding=row.tolist(), index=i)
                for i, row in enumerate(rows)
            ]
            usage = LLMEmbeddingUsage(prompt_tokens=0, total_tokens=0)
            return LLMEmbeddingResponse(object="list", data=data, model=embedder.name, usage=usage)

        async def embedding_async(self, /, **kwargs: Any) -> Any:
            return self.embedding(**kwargs)

        @property
        def metrics_store(self) -> Any:
            return self._metrics_store

        @property
        def tokenizer(self) -> Any:
            return self._tokenizer

    return HdlEmbedding


def build_tables(inputs: Inputs, config: Any) -> Built:
    """Runs the `hdl` pipeline; the tables are in the configuration's output folder afterwards.

    Raises:
        BuildError: a workflow failed; the message names it.
    """
    import graphrag.api
    import graphrag.index.run.run_pipeline as runner
    import graphrag.index.workflows  # registers GraphRAG's own workflows
    import pandas as pd
    from graphrag.index.workflows.factory import PipelineFactory

    from hdlgraph.llm.client import run

    clock = timer()
    runner.WorkflowProfiler = clock  # type: ignore[attr-defined]  # its tracemalloc makes a build four times as slow
    register_models(inputs.embedder, inputs.talk or Talk(Settings()))
    for name, workflow in workflows(inputs).items():
        PipelineFactory.register(name, workflow)
    steps = BY_MODEL if inputs.drawn_by_model else PIPELINE
    PipelineFactory.register_pipeline("hdl", list(steps))
    paths = sorted(inputs.documents)
    frame = pd.DataFrame(
        {
            "id": [stable_id("document", path) for path in paths],
            "human_readable_id": range(len(paths)),
            "title": paths,
            "text": [inputs.documents[path] for path in paths],
            "creation_date": "",
            "raw_data": None,
        }
    )
    results = run(graphrag.api.build_index(config, method="hdl", input_documents=frame))
    for result in results:
        if result.error is not None:
            raise BuildError(
                f"GraphRAG workflow {result.workflow} failed: "
                f"{type(result.error).__name__}: {result.error}"
            ) from result.error
    names = [result.workflow for result in results]
    counts = _count(Path(config.output_storage.base_dir))
    stages = list(zip(names, clock.seconds, strict=True))
    done = inputs.composed
    return Built(counts, stages, done.embedded if done else 0, done.own if done else {})


def timer() -> Any:
    """Returns what stands in for the profiler of GraphRAG: it only times."""
    from graphrag.index.typing.stats import WorkflowMetrics

    class Timer:
        """Stands in for GraphRAG's profiler; `seconds` of all workflows, in order."""

        seconds: list[float] = []

        def __enter__(self) -> Timer:
            self._start = time.perf_counter()
            return self

        def __exit__(self, *_: object) -> None:
            self.seconds.append(round(time.perf_counter() - self._start, 3))

        @property
        def metrics(self) -> Any:
            return WorkflowMetrics(
                overall=self.seconds[-1],
                peak_memory_bytes=0,
                memory_delta_bytes=0,
                tracemalloc_overhead_bytes=0,
            )

    Timer.seconds = []
    return Timer


def _count(output: Path) -> dict[str, int]:
    import pyarrow.parquet as pq

    return {name: pq.read_metadata(output / f"{name}.parquet").num_rows for name in TABLES}


def open_tables(
    folder: Path,
    embedder: Embedder | None,
    settings_file: Path | None = None,
    settings: Settings | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Returns GraphRAG's configuration and tables for `graphrag.api.local_search`.

    Args:
        folder: the graphrag/ folder of an index; answers are kept in the index.
        embedder: the embedder of the index, for questions.
        settings_file: the project's settings.yaml, for GraphRAG's sections. None takes the
            defaults.
        settings: their `llm` section names the endpoint; None takes those of the file.
    """
    import pandas as pd

    output = folder / "output"
    config = load_config(output, settings_file, embedder.dim if embedder else 384)
    register_models(embedder, Talk(settings or Settings.load(settings_file), folder.parent))
    return config, {name: pd.read_parquet(output / f"{name}.parquet") for name in TABLES}
