"""Whether a file belongs to the design or to its tests: answers describe the design first."""

from __future__ import annotations

TESTS = frozenset({"testbench", "formal"})
TEST_FOLDERS = frozenset(
    "dv tb test tests bench testbench testbenches fpv formal verif verification sim".split()
)


def of_design(path: str, role: str = "") -> bool:
    """Returns whether a file is neither a test nor lies in a folder of tests.

    Args:
        path: of the file.
        role: as the index has it, "" where only the path is known.
    """
    folders = path.lower().split("/")[:-1]
    return role not in TESTS and not TEST_FOLDERS.intersection(folders)
