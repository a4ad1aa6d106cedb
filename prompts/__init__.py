"""Prompt texts, one .txt per language-model call; filled with `str.format`.

Literal braces in them are doubled, as Verilog's concatenations need. A checkout's or a
project's `prompts/` folder is GraphRAG's own layout, so that its settings name these files.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

from hdlgraph.errors import SettingsError

PLACEHOLDERS: dict[str, frozenset[str]] = {
    "extract_graph": frozenset({"entity_types", "input_text"}),
    "local_search_system_prompt": frozenset({"context_data", "response_type"}),
    "extract_concepts": frozenset({"files"}),
    "explain_file": frozenset({"path", "facts", "code"}),
    "merge_explanations": frozenset({"path", "facts", "parts"}),
    "explain_neighbours": frozenset({"path", "facts", "explanation", "neighbours"}),
    "answer": frozenset({"material", "notes", "question"}),
    "reword": frozenset({"question"}),
    "decompose": frozenset({"question"}),
    "rerank": frozenset({"question", "cards", "count"}),
    "follow_up": frozenset({"history", "question"}),
    "answer_documents": frozenset({"material", "notes", "question"}),
    "route": frozenset({"history", "domains", "question"}),
    "passage_answer": frozenset({"material", "question"}),
    "similar_questions": frozenset({"question", "count"}),
    "likely_passage": frozenset({"question"}),
    "judge": frozenset({"question", "reference", "answer"}),
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


def check_prompts(folder: Path | None = None) -> None:
    """Checks that every prompt can be filled; called before anything is spent.

    Args:
        folder: the project's own prompts; None checks the built-in ones.

    Raises:
        SettingsError: a prompt cannot be read, has a brace or a placeholder that it may not have,
            or lacks one that it needs; the message begins with file and line.
    """
    for name in sorted(PLACEHOLDERS):
        own = folder / f"{name}.txt" if folder else None
        _check_prompt(own if own and own.is_file() else prompt_path(name), PLACEHOLDERS[name])


def _check_prompt(path: Path, known: frozenset[str]) -> None:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as UTF-8 text ({error})") from error
    listed = ", ".join("{" + name + "}" for name in sorted(known))
    found: set[str] = set()
    for number, line in enumerate(lines, 1):
        place = f"{path}:{number}"
        for field in _fields(line, place):
            if field not in known:
                raise SettingsError(
                    f"{place}: unknown placeholder {{{field}}}; this prompt is filled with "
                    f"{listed}; write {{{{ and }}}} for braces that are meant as such"
                )
            found.add(field)
    missing = ", ".join("{" + name + "}" for name in sorted(known - found))
    if missing:
        raise SettingsError(
            f"{path}:{len(lines)}: the placeholder {missing} is missing; put it where that text "
            "is to stand, or delete the file to get the built-in prompt"
        )


def _fields(line: str, place: str) -> Iterator[str]:
    """Yields the placeholders of a line, as written."""
    try:
        parsed = list(string.Formatter().parse(line))
    except ValueError as error:
        raise SettingsError(
            f"{place}: {str(error)[:1].lower()}{str(error)[1:]}; write {{{{ and }}}} for braces "
            "that are meant as such"
        ) from error
    for _, field, layout, conversion in parsed:
        if field is not None:
            tail = (f"!{conversion}" if conversion else "") + (f":{layout}" if layout else "")
            yield field + tail
