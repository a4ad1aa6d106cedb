"""A repository of a few texts, indexed by words: what most tests of answers begin with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hdlgraph.project import Project


def indexed(root: Path, files: Mapping[str, str]) -> Project:
    """Returns an indexed repository of these files, without vectors.

    Args:
        root: its folder; it is made where it is not there.
        files: texts by path.
    """
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def units(root: Path, **texts: str) -> Project:
    """Returns an indexed repository of files `NAME.sv`, one for each text."""
    return indexed(root, {f"{name}.sv": text for name, text in texts.items()})


def rows(project: Project, question: str) -> list[str]:
    """Returns the lines of an answer, whose citations stand in it and name lines that exist."""
    answer = project.ask(question)
    for one in answer.citations:
        assert f"[{one.place}]" in answer.text
        assert len(project.source_text(one.path).splitlines()) >= one.end_line >= one.line > 0
    return answer.text.splitlines()
