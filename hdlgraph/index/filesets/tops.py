"""The units that project files name as tops: `toplevel` of FuseSoC cores, `--top` of filelists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hdlgraph.index.filesets.read import ALL_BYTES, BYTES
from hdlgraph.safety.safe_files import read_inside

_CORE = re.compile(r"^[ \t]{1,40}toplevel[ \t]*:[ \t]*\[?([^\]\n#]{1,200})", re.M)
_LIST = re.compile(r"^[ \t]*-{1,2}top(?:-module)?[ \t=]+(\w{1,200})", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")


def read_tops(root: Path, projects: Iterable[str]) -> frozenset[str]:
    """Returns the names of the units that cores and filelists call tops.

    Args:
        root: the repository.
        projects: the paths of its project files.
    """
    found: set[str] = set()
    left = ALL_BYTES
    root = root.resolve()
    for place in sorted(one for one in projects if one.endswith((".core", ".f"))):
        if left <= 0:
            break
        try:
            data = read_inside(root, place, min(BYTES, left))
        except (OSError, ValueError):
            continue
        left -= len(data)
        text = data.decode("utf-8", errors="replace")
        if place.endswith(".f"):
            found.update(_LIST.findall(text))
        else:
            found.update(word for one in _CORE.findall(text) for word in _WORD.findall(one))
    return frozenset(found)
