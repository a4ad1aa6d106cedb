"""Settings of documents: whether they are indexed, what reading one may take, how they rank."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.settings.confine import ANY, LOWER
from hdlgraph.settings.field import setting


@dataclass(frozen=True, slots=True)
class DocumentsSettings:
    """Manuals and other documents, searched beside the design."""

    enabled: str = setting(
        "auto",
        "auto: documents are kept in step once `index --documents` or `--docs` has indexed them; "
        "always: with every index; never",
        choices=("auto", "always", "never"),
        repository=("auto", "never"),
    )
    exclude: tuple[str, ...] = setting(
        (), "globs of documents of the repository to leave out", repository=ANY
    )
    domains: tuple[str, ...] = setting(
        (), "FOLDER=NAME: what the documents below a folder are about", repository=ANY
    )
    urls: tuple[str, ...] = setting(
        (),
        "FOLDER=URL: where the documents below a folder are read on the web; @NAME=URL of --docs",
    )
    deadline_s: float = setting(
        120.0,
        "seconds for one document before its process is ended",
        minimum=0.1,
        maximum=86_400,
        repository=LOWER,
    )
    memory_mb: int = setting(
        1024,
        "memory of one process that reads documents in MiB",
        minimum=128,
        maximum=1_048_576,
        repository=LOWER,
    )
    fusion: str = setting(
        "sum",
        "how the rankings of passages become one: sum of the scores, each from 0 to 1; rrf, "
        "reciprocal ranks (k = 60); mmr, the sum with passages that repeat others put back",
        choices=("sum", "rrf", "mmr"),
        repository=ANY,
    )
    k: int = setting(5, "passages of a search", minimum=1, maximum=100, repository=LOWER)
    links: bool = setting(
        True,
        "let the passages found raise the files that they lead to, and the files their passages",
        repository=ANY,
    )
    routing: str = setting(
        "auto",
        "what decides which list comes first and how long the other is: cues, the words of the "
        "question and what was found; model, a call of llm.query_model for each question of ask "
        "and chat; auto, the model where it writes the answer; off, files first",
        choices=("auto", "cues", "model", "off"),
        repository=("cues", "off"),
    )
