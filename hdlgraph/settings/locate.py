"""Finds the index folder of a command and the settings of a repository."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hdlgraph.errors import IndexMissingError, SettingsError
from hdlgraph.safety.safe_files import read_head
from hdlgraph.settings.records import Settings

FOLDER = ".hdlgraph"
"""Default name of the index folder inside a repository."""

_HEAD_BYTES = 1_000_000
"""Where a settings.yaml is searched for our section; it is read as ours up to less."""
_SECTION = re.compile(r"^hdlgraph\s*:", re.M)


def find_index(given: Path | None = None, start: Path | None = None) -> Path:
    """Returns the index folder to read.

    `given` may be the folder itself or a repository that has one; without it, the nearest
    `.hdlgraph` in `start` (the working folder) or above it, as git finds its own.

    Raises:
        IndexMissingError: there is none.
    """
    if given is not None:
        # What the user names may be a link; an index folder below it may not.
        for folder in (given.resolve(), given.resolve() / FOLDER):
            if _is_index(folder):
                return folder
        for folder in (given.resolve(), given.resolve() / FOLDER):
            _check_begun(folder)
        raise IndexMissingError(
            f"index {given}: there is none; create it with `hdlgraph index REPO`"
            " or name another folder with --index"
        )
    here = (start or Path.cwd()).resolve()
    for folder in (place / FOLDER for place in (here, *here.parents)):
        if _is_index(folder):
            # Anyone may put a folder above, into /tmp for one: only the user's own is found so.
            if (owner := folder.lstat().st_uid) == os.geteuid():
                return folder
            raise IndexMissingError(
                f"index {folder}: belongs to user {owner}, and you are user {os.geteuid()}; name "
                "it with --index if you trust it"
            )
    for place in (here, *here.parents):
        _check_begun(place / FOLDER)
    raise IndexMissingError(
        f"no index in {here} or above it; create one with `hdlgraph index REPO` and run this"
        " inside REPO, or name the index folder with --index"
    )


def _check_begun(folder: Path) -> None:
    """Raises IndexMissingError where a run has begun an index of the user's and not finished it."""
    begun = folder / "cache.sqlite"
    if begun.is_file() and folder.lstat().st_uid == os.geteuid():
        repo = folder.parent if folder.name == FOLDER else "REPO"
        raise IndexMissingError(
            f"index {folder}: its first run has not been finished; what it did is kept, and "
            f"`hdlgraph index {repo}` goes on from there"
        )


def _is_index(folder: Path) -> bool:
    return (folder / "manifest.json").is_file() or (folder / "manifest.json").is_symlink()


def root_of(folder: Path, recorded: str) -> Path:
    """Returns the repository of an index folder, also after both were moved together."""
    if folder.name == FOLDER:
        return folder.parent
    return Path(recorded)


def load_settings(root: Path, explicit: Path | None = None) -> Settings:
    """Returns the settings of a repository: `explicit`, else ROOT/settings.yaml, else defaults.

    A settings.yaml without an `hdlgraph:` section belongs to another program and is left alone.
    One that was only found in the repository may set what `confine` allows: whoever wrote the
    repository is not the user.

    Raises:
        SettingsError: the file cannot be used.
    """
    if explicit is not None:
        return Settings.load(explicit)
    path = root / "settings.yaml"
    if not path.is_file():
        return Settings()
    try:
        head, _ = read_head(root.resolve(), path.name, _HEAD_BYTES)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error})") from error
    if not _SECTION.search(head.decode("utf-8", errors="replace")):
        return Settings()
    return Settings.load(path, found=True)
