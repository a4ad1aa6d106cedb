"""What `hdlgraph init` writes: a commented settings.yaml, and prompts/ where all is wanted."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.settings.records import Settings, render_settings
from hdlgraph.settings.render import render_short


def write_scaffold(folder: Path, everything: bool = False) -> dict[str, list[str]]:
    """Writes a settings.yaml into a folder; nothing is overwritten.

    Args:
        folder: where.
        everything: whether every key, GraphRAG's sections and the prompts are written; without it
            only what a repository may set, commented out.

    Returns:
        {"written": paths, "kept": paths that existed and were left alone, "notes": how what was
        written comes to act}; paths are relative to `folder`.

    Raises:
        UsageError: `folder` is not a folder.
        HdlgraphError: it cannot be written.
    """
    texts = _all() if everything else {"settings.yaml": render_short(Settings())}
    done: dict[str, list[str]] = {"written": [], "kept": [], "notes": []}
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder")
    for name, text in texts.items():
        path = folder / name
        if path.exists() or path.is_symlink():
            done["kept"].append(name)
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.parent.is_symlink() and path.parent != folder:
                raise HdlgraphError(f"{path.parent}: is a link; remove it, then run this again")
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except OSError as error:
            raise HdlgraphError(f"{path}: cannot be written ({error.strerror})") from error
        done["written"].append(name)
    if everything:
        named = shlex.quote(str(folder / "settings.yaml"))
        done["notes"].append(
            f"the prompts, and what a repository may not set, act only where you name the file: "
            f"--settings {named}, or HDLGRAPH_SETTINGS={named}"
        )
    return done


def _all() -> dict[str, str]:
    """Returns the text of each file of the whole scaffold, by its path."""
    texts = {"settings.yaml": render_settings()}
    for prompt in sorted(files("hdlgraph.prompts").iterdir(), key=lambda item: item.name):
        if prompt.name.endswith(".txt"):
            texts[f"prompts/{prompt.name}"] = prompt.read_text(encoding="utf-8")
    return texts
