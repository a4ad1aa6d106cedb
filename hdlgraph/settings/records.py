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

from hdlgraph.settings.confine import ANY, LOWER
from hdlgraph.settings.documents import DocumentsSettings
from hdlgraph.settings.elaborate import ElaborateSettings
from hdlgraph.settings.field import setting
from hdlgraph.settings.indexing import (
    EmbeddingSettings,
    ExplainSettings,
    ExtractSettings,
    FilesSettings,
    KnowledgeSettings,
    ParseSettings,
)
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
