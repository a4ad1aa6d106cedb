"""Prompt texts, one .txt per language-model call; filled with `str.format`.

Literal braces in them are doubled, as Verilog's concatenations need. A checkout's or a
project's `prompts/` folder is GraphRAG's own layout, so that its settings name these files.
"""

from __future__ import annotations

from pathlib import Path

PLACEHOLDERS: dict[str, frozenset[str]] = {
    "extract_graph": frozenset({"entity_types", "input_text"}),
    "local_search_system_prompt": frozenset({"context_data", "response_type"}),
    "extract_concepts": frozenset({"files"}),
    "explain_file": frozenset({"path", "facts", "code"}),
    "reword": frozenset({"question"}),
    "decompose": frozenset({"question"}),
    "rerank": frozenset({"question", "cards", "count"}),
    "follow_up": frozenset({"history", "question"}),
}
"""What each prompt is filled with. The first two are GraphRAG's names."""


def prompt_path(name: str) -> Path:
    """Returns the file of a built-in prompt."""
    return Path(__file__).parent / f"{name}.txt"


def prompt_text(name: str, folder: Path | None = None) -> str:
    """Returns a prompt: the project's own in `folder` where there is one, else the built-in."""
    own = folder / f"{name}.txt" if folder else None
    path = own if own and own.is_file() else prompt_path(name)
    return path.read_text(encoding="utf-8")


def render_prompts(dest: Path) -> list[Path]:
    """Copies the built-in prompts into a folder; files that exist stay. Returns those written."""
    dest.mkdir(parents=True, exist_ok=True)
    written = []
    for name in sorted(PLACEHOLDERS):
        target = dest / f"{name}.txt"
        if not target.exists():
            target.write_text(prompt_text(name), encoding="utf-8")
            written.append(target)
    return written
