"""The catalogue of corpora: which package of which version holds which repository.

The packages of LiteX (`pythondata-*`) hold snapshots of public cores, three others RTL libraries;
versions are pinned so that figures can be repeated. `data/corpora.json` says where each comes from
and under which licence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.errors import UsageError


@dataclass(frozen=True, slots=True)
class Package:
    """A PyPI package, the folder in it that is the repository, and its number of Verilog files.

    `upstream` and `commit` (or a release) say which sources the package holds, `licence` under
    which terms.
    """

    package: str
    version: str
    root: str
    files: int
    upstream: str = ""
    commit: str = ""
    licence: str = ""


def _packages() -> dict[str, Package]:
    known = json.loads((Path(__file__).parents[1] / "data" / "corpora.json").read_text("utf-8"))
    return {
        name: Package(
            package=entry["package"],
            version=entry["version"],
            root=entry["data_root"],
            files=entry["files"],
            upstream=entry["upstream"],
            commit=entry["upstream_git"] or entry["upstream_describe"],
            licence=entry["licence"],
        )
        for name, entry in sorted(known.items())
    }


PACKAGES: dict[str, Package] = _packages()
"""The packages by short name, from `data/corpora.json`."""

COMPOSITES: dict[str, tuple[str, ...]] = {
    "riscv-cores": (
        *("ibex", "cva6", "blackparrot", "mor1kx", "cv32e40p"),
        *("serv", "picorv32", "lm32", "cva5"),
    ),
    "libraries": ("finn", "lambdalib", "libsv"),
    "all16": tuple(n for n, known in PACKAGES.items() if known.package.startswith("pythondata-")),
}
"""Several packages in one repository, each in a folder of its short name."""


def packages_of(name: str) -> dict[str, Package]:
    """Returns the packages of a corpus by short name (one for a package, several for a composite).

    Raises:
        UsageError: no such corpus.
    """
    if name in PACKAGES:
        return {name: PACKAGES[name]}
    if name in COMPOSITES:
        return {part: PACKAGES[part] for part in COMPOSITES[name]}
    raise unknown_corpus(name)


def unknown_corpus(name: str) -> UsageError:
    """Returns the error for a corpus that the catalogue has not."""
    known = ", ".join((*PACKAGES, *COMPOSITES))
    return UsageError(f"corpus {name}: unknown; known are {known}")


def corpus_name(written: str) -> str:
    """Returns the name and version of a corpus, however a question set writes it.

    A short name of a package stands for the pinned version; `PACKAGE==VERSION` is translated
    where the package is known; a composite has no version; anything else is returned as it is.
    """
    if written in PACKAGES:
        return f"{written} {PACKAGES[written].version}"
    package, _, version = written.partition("==")
    for name, known in PACKAGES.items():
        if package == known.package:
            return f"{name} {version or known.version}"
    return written


def corpus_at(root: Path) -> str:
    """Returns the name and version of a corpus that `materialise` made at `root`, else ""."""
    if root.parent.name != "corpora":
        return ""
    if root.name in COMPOSITES:
        return root.name
    for name in PACKAGES:
        if root.name.startswith(f"{name}-"):
            return f"{name} {root.name.removeprefix(name + '-')}"
    return ""
