"""Ignore files: which rules of `.gitignore` and `.hdlgraphignore` apply to a path.

As in ripgrep, `.gitignore` counts only inside a git work tree: in an unpacked release it names
what the authors kept elsewhere, such as submodules, and these files belong to the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdlgraph.index.discover.patterns import to_spec
from hdlgraph.safety.printable import visible
from hdlgraph.safety.safe_files import read_inside, read_regular

OWN = ".hdlgraphignore"
GIT = ".gitignore"
FILE_BYTES = 256_000
"""Larger ignore files are not read."""
FILE_LINES = 2_000
"""Most lines of one ignore file that count."""
ALL_LINES = 10_000
"""Most lines of all ignore files of a repository that count."""
_MAX_NOTES = 10


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of one ignore file.

    `prefix` is the folder of the file relative to the root, with a slash; for a folder above the
    root it is empty and `above` is the way from there to the root.
    """

    spec: Any
    prefix: str = ""
    above: str = ""

    def verdict(self, path: str) -> bool | None:
        """Returns whether the rules ignore (True) or keep (False) a path, None if silent."""
        found = self.spec.check_file(self.above + path[len(self.prefix) :]).include
        return None if found is None else bool(found)


@dataclass(slots=True)
class IgnoreFiles:
    """Reads the ignore files of one walk, within limits; `notes` say what was not used of them."""

    notes: list[str] = field(default_factory=list)
    left: int = ALL_LINES

    def inside(self, root: Path, prefix: str, names: set[str]) -> list[Rules]:
        """Returns the rules of the ignore files in a folder below the root; own ones last."""
        found = []
        for name in (GIT, OWN):
            if name in names:
                path = prefix + name
                try:
                    data = read_inside(root, path, FILE_BYTES)
                except OSError as error:
                    self._say(f"{visible(path)}: not read ({visible(_reason(error))})")
                    continue
                found.append(Rules(self._spec(data, path), prefix))
        return found

    def above(self, folder: Path, way: str) -> list[Rules]:
        """Returns the rules of a folder above the root, from which `way` leads to it."""
        try:
            data = read_regular(folder / GIT, FILE_BYTES)
        except FileNotFoundError:
            return []
        except OSError as error:
            self._say(f"{visible(str(folder / GIT))}: not read ({visible(_reason(error))})")
            return []
        return [Rules(self._spec(data, str(folder / GIT)), "", way)]

    def _spec(self, data: bytes, path: str) -> Any:
        lines = data.decode("utf-8", errors="replace").splitlines()
        kept = lines[: min(FILE_LINES, self.left)]
        self.left -= len(kept)
        if len(kept) < len(lines):
            self._say(f"{visible(path)}: {len(lines)} lines, only {len(kept)} count")
        spec, refused = to_spec(kept)
        for one in refused[:_MAX_NOTES]:
            self._say(f"{visible(path)}:{one.line}: pattern not used, {one.why}")
        if len(refused) > _MAX_NOTES:
            self._say(f"{visible(path)}: {len(refused) - _MAX_NOTES} more patterns not used")
        return spec

    def _say(self, note: str) -> None:
        if len(self.notes) < 10 * _MAX_NOTES:
            self.notes.append(note)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def rules_above(root: Path, ignore_files: IgnoreFiles) -> tuple[tuple[Rules, ...], bool]:
    """Returns (rules of the folders above `root`, whether `.gitignore` files count below it).

    A root that its work tree ignores is a foreign tree put there: no `.gitignore` counts in it.
    """
    if (root / ".git").exists():
        return (), True
    top = next((folder for folder in root.parents if (folder / ".git").exists()), None)
    if top is None:
        return (), False
    found: list[Rules] = []
    folders = [top, *reversed([p for p in root.parents if p != top and p.is_relative_to(top)])]
    for folder in folders:
        found += ignore_files.above(folder, root.relative_to(folder).as_posix() + "/")
    if is_ignored(found, ""):
        return (), False
    return tuple(found), True


def is_ignored(rules: Sequence[Rules], path: str) -> bool:
    """Returns whether a path is ignored: the last rules that say anything of it decide.

    A folder's path ends with a slash.
    """
    for rule in reversed(rules):
        verdict = rule.verdict(path)
        if verdict is not None:
            return verdict
    return False
