"""Names of communities, taken from the folders of their files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from hdlgraph.index.graphrag.communities.links import folder_of
from hdlgraph.model.community import Folder

EVERYWHERE = frozenset(
    """rtl src hdl verilog systemverilog sv v tb test tests testbench bench sim dv env cov agent
        seq seq_lib model models formal fpv syn include inc common custom target targets
        util utils lib dpi vendor vendored external third_party submodules example
        examples""".split()
)
"""Names of folders that any block may have inside, and that never distinguish blocks."""
PARENTS = 4
"""A folder name found in so many other folders says nothing by itself either."""
SHARE = 0.5
"""A folder gives its name to a community that holds at least so much of it."""
BULK = 0.8
"""A folder below gives its name instead where it has so many of the files of the community."""
MAX_NAMES = 5
"""Names in a title."""


class Names:
    """Names of the folders of one repository."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._total: Counter[str] = Counter()
        around: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            for folder in _folders(path):
                self._total[folder] += 1
                around[_last(folder)].add(folder_of(folder[:-1]))
        self._plain = EVERYWHERE | {
            name for name, places in around.items() if len(places) >= PARENTS
        }

    def label(self, folder: str) -> str:
        """Returns the shortest end of a folder's path that no other folder has."""
        parts = folder.strip("/").split("/")
        for at in range(len(parts) - 1, -1, -1):
            if parts[at].lower() not in self._plain:
                return "/".join(parts[at:])
        return "/".join(parts)

    def folders(self, members: Sequence[str]) -> list[Folder]:
        """Returns the folders whose files are mostly in a community, largest first, not nested.

        A folder with a single file there gives no name unless it is the only one.
        """
        inside: Counter[str] = Counter()
        for path in members:
            inside.update(_folders(path))
        found: list[Folder] = []
        taken: set[str] = set()
        for folder in sorted(inside):
            if folder == "/" or any(above in taken for above in _folders(folder[:-1])):
                continue
            if inside[folder] >= SHARE * self._total[folder]:
                taken.add(folder)
                found.append(self._folder(folder, inside))
        found.sort(key=lambda one: (-one.files, one.path))
        return [one for one in found if one.files > 1] or found[:1]

    def _folder(self, folder: str, inside: Counter[str]) -> Folder:
        """Returns a folder, or the one below it in which its files of the community lie."""
        while inside[folder] < self._total[folder]:
            below = [one for one in sorted(inside) if one != "/" and folder_of(one[:-1]) == folder]
            most = max(below, key=inside.__getitem__, default="")
            if inside[most] < BULK * inside[folder]:
                break
            folder = most
        return Folder(self.label(folder), folder[:-1], inside[folder], self._total[folder])


def _folders(path: str) -> list[str]:
    """Returns the folders above a path, the repository first."""
    found = [folder_of(path)]
    while found[-1] != "/":
        found.append(folder_of(found[-1][:-1]))
    return found[::-1]


def _last(folder: str) -> str:
    return folder[:-1].rpartition("/")[2].lower()


def title_of(folders: Sequence[Folder], units: Sequence[str], covered: bool) -> str:
    """Returns a title: the names of folders, and of units where folders do not say enough.

    Args:
        folders: as `Names.folders` gives them.
        units: names of the most important units outside of those folders.
        covered: whether most files lie in the folders.
    """
    names = list(dict.fromkeys(one.name for one in folders))
    if not covered:
        room = max(2, MAX_NAMES - len(names))
        names = [*names[:MAX_NAMES], *(unit for unit in units[:room] if unit not in names)]
    more = len(names) - MAX_NAMES
    text = ", ".join(names[:MAX_NAMES])
    return f"{text} and {more} more" if more > 0 else text
