"""What `hdlgraph init` writes: settings.yaml and prompts/, commented, nothing overwritten."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.settings.records import render_settings


def write_scaffold(folder: Path) -> dict[str, list[str]]:
    """Writes settings.yaml and the prompts into a folder.

    Returns:
        {"written": paths, "kept": paths that existed and were left alone}, relative to `folder`.

    Raises:
        UsageError: `folder` is not a folder.
        HdlgraphError: it cannot be written.
    """
    texts = {"settings.yaml": render_settings()}
    for prompt in sorted(files("hdlgraph.prompts").iterdir(), key=lambda item: item.name):
        if prompt.name.endswith(".txt"):
            texts[f"prompts/{prompt.name}"] = prompt.read_text(encoding="utf-8")
    done: dict[str, list[str]] = {"written": [], "kept": []}
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
    return done
