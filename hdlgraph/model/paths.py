"""Places of files relative to each other, by their paths from the root of the repository."""

from __future__ import annotations


def shared_folders(path: str, other: str) -> int:
    """Returns how many folders two paths have in common from the root on."""
    count = 0
    for one, two in zip(path.split("/")[:-1], other.split("/")[:-1], strict=False):
        if one != two:
            break
        count += 1
    return count
