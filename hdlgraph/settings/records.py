"""Settings as nested frozen records: one default and one line of help for each value.

`settings.yaml` is only a rendering of these records (`render_settings`) with GraphRAG's own
sections above the `hdlgraph:` section. Secrets never stand in it: keys come from the
environment.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.safety.safe_files import SOURCE_BYTES
from hdlgraph.settings.confine import ANY, CORES, LOWER, SUFFIXES
from hdlgraph.settings.documents import DocumentsSettings
from hdlgraph.settings.elaborate import ElaborateSettings
from hdlgraph.settings.field import setting
from hdlgraph.settings.llm import LlmSettings
from hdlgraph.settings.trained import TrainedSettings

__all__ = [
    "AskSettings",
    "DocumentsSettings",
    "ElaborateSettings",
    "EmbeddingSettings",
    "ExplainSettings",
    "ExtractSettings",
    "FilesSettings",
    "GraphragSettings",
    "KnowledgeSettings",
    "LlmSettings",
    "ParseSettings",
    "SearchSettings",
    "Settings",
    "TrainedSettings",
    "render_settings",
]


@dataclass(frozen=True, slots=True)
class FilesSettings:
    """Which files belong to the design."""

    include: tuple[str, ...] = setting(
        (), "globs of files to take; empty takes all", repository=ANY
    )
    exclude: tuple[str, ...] = setting(
        (), "globs of files to leave out, besides .gitignore and .hdlgraphignore", repository=ANY
    )
    suffixes: tuple[str, ...] = setting(
        RTL_SUFFIXES,
        "endings of Verilog and SystemVerilog files",
        repository=SUFFIXES,
    )
    max_bytes: int = setting(
        8_000_000,
        "larger files are listed but only scanned by pattern",
        minimum=1,
        maximum=SOURCE_BYTES,
        repository=LOWER,
    )


@dataclass(frozen=True, slots=True)
class ParseSettings:
    """How files are read."""

    jobs: int = setting(
        0,
        "processes that read files; 0 is one per usable core",
        minimum=0,
        maximum=1024,
        repository=CORES,
    )
    deadline_s: float = setting(
        20.0,
        "seconds for one file before its process is ended",
        minimum=0.1,
        maximum=86_400,
        repository=LOWER,
    )
    memory_mb: int = setting(
        1024,
        "memory of one parser process in MiB",
        minimum=128,
        maximum=1_048_576,
        repository=LOWER,
    )
    pyverilog: bool = setting(
        True, "read Verilog-2001 files a second time with PyVerilog", repository=ANY
    )


@dataclass(frozen=True, slots=True)
class KnowledgeSettings:
    """Which tables of hardware knowledge are used."""

    projects: str = setting(
        "auto",
        "names that single projects coined (OpenTitan, PULP, BlackParrot ...): auto takes the "
        "tables of projects of which the repository has at least three names; never",
        choices=("auto", "never"),
        repository=("auto", "never"),
    )


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """Who writes the explanation of each file."""

    explainer: str = setting(
        "deterministic",
        "deterministic writes it from facts and comments; model asks llm.build_model. "
        "Explanations that a model wrote or that were imported count as long as the file is the "
        "same",
        choices=("deterministic", "model"),
    )
    neighbours: bool = setting(
        False, "let the model rewrite each explanation with those of its graph neighbours in sight"
    )
    code_tokens: int = setting(
        1600,
        "tokens of a file's code in one call; of longer code the outline is shown",
        minimum=200,
    )
    parts: int = setting(
        2, "most parts that a large file is explained in, each by a call", minimum=1, maximum=64
    )
    share: float = setting(
        0.25,
        "part of a large file's code that is shown at least, as far as parts allow; 1 shows all",
        minimum=0,
        maximum=1,
    )


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """What extracts the graph: parsers, a model, or both."""

    method: str = setting(
        "ast",
        "ast: the parsers; both: the parsers, and llm.build_model adds concepts and what they "
        "connect; llm: GraphRAG's own extraction by the model alone, for comparison",
        choices=("ast", "both", "llm"),
    )
    batch: int = setting(8, "explanations in one call of both", minimum=1, maximum=64)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """What turns texts into vectors."""

    provider: str = setting(
        "embedded",
        "embedded: bge-small-en-v1.5 on this machine; onnx: a local folder; openai: an "
        "OpenAI-compatible endpoint; none: lexical search only",
        choices=("embedded", "onnx", "openai", "none"),
        repository=("embedded", "none"),
    )
    model: str = setting(
        "bge-small-en-v1.5", "name of the model; sent to the endpoint when provider is openai"
    )
    path: str = setting("", "folder with model.onnx and tokenizer.json when provider is onnx")
    api_base: str = setting(
        "", "address of the endpoint; empty takes llm.base_url, then OPENAI_BASE_URL"
    )
    dim: int = setting(384, "length of a vector", minimum=1, maximum=65_536)
    pooling: str = setting(
        "cls",
        "how token vectors become one when provider is onnx: cls or mean",
        choices=("cls", "mean"),
    )
    query_prefix: str = setting(
        "Represent this sentence for searching relevant passages: ",
        "text put before a question; empty for models without one",
    )
    max_tokens: int = setting(
        128, "tokens of a passage that are read", minimum=8, maximum=512, repository=LOWER
    )
    store: str = setting(
        "auto",
        "where vectors are kept: arrays (exact, mapped into memory), lancedb (a table on disk), or "
        "auto: arrays below 250,000 vectors",
        choices=("auto", "arrays", "lancedb"),
        repository=ANY,
    )
    token_vectors: bool = setting(
        True,
        "also keep a vector for every token (answerai-colbert-small, on this machine), with which "
        "the best files are compared word by word",
        repository=ANY,
    )
    batch: int = setting(64, "texts in one request to an endpoint", minimum=1, maximum=10_000)
    threads: int = setting(
        0,
        "threads of the embedded model; 0 is one per usable core",
        minimum=0,
        maximum=1024,
        repository=CORES,
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How questions are answered."""

    hops: int = setting(
        1, "edges walked from the first matches", minimum=0, maximum=2, repository=ANY
    )
    k: int = setting(10, "files returned", minimum=1, maximum=10_000, repository=100)
    aspects: bool = setting(
        True,
        "search a question that asks several things by its parts as well",
        repository=ANY,
    )
    abbreviations: str = setting(
        "",
        "a team's own dictionary: a text file of lines `SHORT = long form: what it is`",
        repository=ANY,
    )


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How answers are written, and what llm.query_model may do for a question."""

    writer: str = setting(
        "auto",
        "extractive quotes the index; model asks llm.query_model; auto takes the model where one "
        "is configured",
        choices=("auto", "extractive", "model"),
        repository=("auto", "extractive"),
    )
    context_tokens: int = setting(
        4100, "tokens of evidence that the model is shown", minimum=500, repository=LOWER
    )
    reword: bool = setting(False, "let the model also search the question in other words")
    decompose: bool = setting(
        False, "let the model split the question into module, block and signal parts"
    )
    rerank: bool = setting(
        True,
        "let the model reorder the best files; only where a model is configured",
        repository=ANY,
    )
    rerank_tokens: int = setting(
        3000,
        "most tokens that the model is sent to reorder files: prompt, question and cards",
        minimum=600,
        repository=LOWER,
    )


@dataclass(frozen=True, slots=True)
class GraphragSettings:
    """The GraphRAG tables built beside the search index: communities, their reports, vectors."""

    enabled: str = setting(
        "on-demand",
        "on-demand: built when `hdlgraph overview` or a question about the whole asks for them; "
        "always: at the end of every index run, with the vectors of GraphRAG's local search; never",
        choices=("on-demand", "always", "never"),
        repository=("on-demand", "never"),
    )
    reports: str = setting(
        "facts",
        "who writes the reports of communities: facts of the index alone, or the model "
        "(llm.build_model, a call for each community of the two upper levels)",
        choices=("facts", "model"),
    )
    data_type: str = setting(
        "explanations",
        "text of GraphRAG's documents: explanations or code",
        choices=("explanations", "code"),
        repository=ANY,
    )
    entities: tuple[str, ...] = setting(
        (
            "file",
            "module",
            "interface",
            "program",
            "package",
            "class",
            "checker",
            "primitive",
            "concept",
        ),
        "graph nodes that become GraphRAG entities; function, task, type, macro may be added",
        repository=ANY,
    )
    memory_mb: int = setting(
        4096,
        "memory of the build process in MiB",
        minimum=1024,
        maximum=1_048_576,
        repository=LOWER,
    )
    deadline_s: float = setting(
        900.0,
        "seconds before the build is given up",
        minimum=10,
        maximum=864_000,
        repository=LOWER,
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of hdlgraph; `Settings()` holds the defaults."""

    files: FilesSettings = field(default_factory=FilesSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    knowledge: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    explain: ExplainSettings = field(default_factory=ExplainSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    graphrag: GraphragSettings = field(default_factory=GraphragSettings)
    elaborate: ElaborateSettings = field(default_factory=ElaborateSettings)
    documents: DocumentsSettings = field(default_factory=DocumentsSettings)
    trained: TrainedSettings = field(default_factory=TrainedSettings)

    @classmethod
    def load(cls, path: Path | str | None = None, *, found: bool = False) -> Settings:
        """Returns the settings of a settings.yaml, or the defaults without one.

        Args:
            path: the file.
            found: whether it was only found in a repository, whose author is not the user; see
                `confine`.

        Raises:
            SettingsError: The file cannot be read, is not YAML, or has a key or a value that
                hdlgraph does not know; the message ends with the place.
        """
        if path is None:
            return cls()
        from hdlgraph.settings.yaml import read_settings

        return read_settings(Path(path), cls, found=found)

    def digest(self, *sections: str) -> str:
        """Returns 16 hex digits that change with any value of the sections (all if none)."""
        values = asdict(self)
        chosen = {name: values[name] for name in (sections or sorted(values))}
        text = json.dumps(chosen, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def render_settings(settings: Settings | None = None) -> str:
    """Returns the commented settings.yaml that GraphRAG and hdlgraph both read."""
    from hdlgraph.settings.render import render

    return render(settings or Settings())
