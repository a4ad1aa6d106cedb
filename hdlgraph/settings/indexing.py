"""Settings of what makes an index: files, readers, explanations, extraction, vectors."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.safety.safe_files import SOURCE_BYTES
from hdlgraph.settings.confine import ANY, CORES, LOWER, SUFFIXES
from hdlgraph.settings.field import setting


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
    token_path: str = setting(
        "",
        "folder of a model of token vectors that `hdlgraph train token-encoder` wrote; empty takes "
        "the embedded one",
    )
    batch: int = setting(64, "texts in one request to an endpoint", minimum=1, maximum=10_000)
    threads: int = setting(
        0,
        "threads of the embedded model; 0 is one per usable core",
        minimum=0,
        maximum=1024,
        repository=CORES,
    )
