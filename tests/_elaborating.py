"""Helpers of tests that elaborate little designs."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

from hdlgraph.project import Project
from hdlgraph.settings.elaborate import ElaborateSettings
from hdlgraph.settings.records import Settings


def project(root: Path, files: dict[str, str], **limits: Any) -> Project:
    """Returns an indexed repository of these files.

    Args:
        root: its folder.
        files: texts by path.
        limits: values of the section `elaborate` of the settings.
    """
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    settings = dataclasses.replace(Settings(), elaborate=ElaborateSettings(**limits))
    made = Project(root, settings=settings)
    made.index(embeddings=False, graphrag="never", jobs=1)
    return made


def copied(made: Project, root: Path) -> Project:
    """Returns a copy of a repository with its index, for a test that changes it."""
    shutil.copytree(made.root, root, dirs_exist_ok=True)
    return Project(root, settings=made.settings)


def instances(entry: dict[str, Any], path: str = "") -> dict[str, dict[str, Any]]:
    """Returns the instances below an entry of an elaborated tree by their paths."""
    found = {}
    for child in entry["children"]:
        name = f"{path}.{child['name']}" if path else child["name"]
        found[name] = child
        found |= instances(child, name)
    return found


def tree(made: Project, config: str = "default") -> dict[str, dict[str, Any]]:
    """Returns the instances of the first top of a configuration by their paths."""
    return instances(made.elaborated_tree("", 50, config)["tops"][0])


def values(entry: dict[str, Any]) -> dict[str, str]:
    """Returns the values of the parameters of an entry."""
    return {one["name"]: one["value"] for one in entry["parameters"]}
