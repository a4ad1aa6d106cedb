"""Ignore files: which rules of `.gitignore` and `.hdlgraphignore` apply to a path.

As in ripgrep, `.gitignore` counts only inside a git work tree: in an unpacked release it names
what the authors kept elsewhere, such as submodules, and these files belong to the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN = ".hdlgraphignore"
GIT = ".gitignore"


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


def rules_above(root: Path) -> tuple[tuple[Rules, ...], bool]:
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
        above = root.relative_to(folder).as_posix() + "/"
        found += [Rules(r.spec, "", above) for r in read_rules(folder, "", {GIT})]
    if is_ignored(found, ""):
        return (), False
    return tuple(found), True


def read_rules(folder: Path, prefix: str, names: set[str]) -> list[Rules]:
    """Returns the rules of the ignore files in a folder; of `names`, own ones last."""
    found = []
    for name in (GIT, OWN):
        if name in names:
            try:
                lines = (folder / name).read_text("utf-8", errors="replace").splitlines()
            except OSError:
                continue
            found.append(Rules(to_spec(lines), prefix))
    return found


def to_spec(lines: Sequence[str]) -> Any:
    """Returns the patterns of gitignore lines; a line that is no pattern is left out."""
    import pathspec

    good = []
    for line in lines:
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return pathspec.GitIgnoreSpec.from_lines(good)


def is_ignored(rules: Sequence[Rules], path: str) -> bool:
    """Returns the verdict of the last rules that have one; folders end with a slash."""
    for rule in reversed(rules):
        verdict = rule.verdict(path)
        if verdict is not None:
            return verdict
    return False
