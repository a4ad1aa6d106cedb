"""A project whose questions go to a stub endpoint, and replies by what is asked."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.settings.records import Settings

DOWN = "http://127.0.0.1:9/v1"
"""An address where nothing listens."""


def helped(project: Project, folder: Path, base_url: str = "", **ask: Any) -> Project:
    """Returns a project over a private copy of an index, its model at `base_url`.

    Files are reordered where `rerank=True` says so.
    """
    ask = {"rerank": False, **ask}
    without = shutil.ignore_patterns("answers.sqlite*")
    shutil.copytree(project.folder, folder / "index", ignore=without)
    settings = Settings()
    if base_url:
        llm = dataclasses.replace(
            settings.llm, provider="openai", base_url=base_url, query_model="stub-query", retries=0
        )
        settings = dataclasses.replace(settings, llm=llm)
    settings = dataclasses.replace(settings, ask=dataclasses.replace(settings.ask, **ask))
    return Project(project.root, folder / "index", settings)


def kind(body: dict[str, Any]) -> str:
    """Returns which request a body is: reword, decompose, rerank, follow_up or answer."""
    text = next(m["content"] for m in body["messages"] if m["role"] == "user")
    for name, mark in (
        ("rerank", "<card"),
        ("follow_up", "<conversation>"),
        ("decompose", '"block"'),
        ("reword", '"rewritten"'),
    ):
        if mark in text:
            return name
    return "answer"


def replies(**given: Any) -> Callable[[dict[str, Any]], Any]:
    """Returns a stub's reply: the value, or the function's result, given for each kind."""

    def reply(body: dict[str, Any]) -> Any:
        found = given[kind(body)]
        return found(body) if callable(found) else found

    return reply


def prompt(stub: Stub, number: int = -1) -> str:
    """Returns the user's message of a request."""
    return stub.requests[number]["messages"][-1]["content"]


def paths(result: Any) -> list[str]:
    """Returns the paths of a result's hits."""
    return [hit.path for hit in result.hits]
