"""Which files of a repository are read: by filelist or suffix, less what is ignored."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.ignore import IgnoreFiles, rules_above
from hdlgraph.index.discover.patterns import to_spec
from hdlgraph.index.discover.source_file import Known, SourceFile, source_file
from hdlgraph.index.discover.walk import Skipped, Walk
from hdlgraph.model.file import RTL_SUFFIXES
from hdlgraph.parsers import registry
from hdlgraph.parsers.filelist import FileList, read_filelist
from hdlgraph.safety.printable import visible

DOCUMENTS = (".md", ".rst", ".adoc", ".hjson")
DESCRIPTIONS = (".hjson", ".rdl", ".ipxact", "ipxact.xml", "component.xml")
"""Endings of files that may describe registers."""
PROJECTS = (".core", "Bender.yml", ".f", *DESCRIPTIONS)
"""Endings of files that list which sources belong together, or describe registers."""
YAML = (".yaml", ".yml")
C_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp")
FOREIGN = (*C_ENDINGS, "Makefile", ".mk", ".py")
"""Endings of files in other languages that may exercise a unit or have a function of DPI."""
_ASIDE = (*PROJECTS, *FOREIGN, *YAML)
MOST_PROJECTS = 20_000
"""Most files of `PROJECTS`, and of `FOREIGN`, that count."""
FOUND_LIST = "verible.filelist"
PROGRESS_FILES = 50
"""Files between two reports of progress."""
UNMATCHED = 5
"""Include globs without a file that are told by name."""
FOLDERS = 50_000
"""Most folders that a discovery lists."""
_LISTED = 100
"""Entries of one kind that are noted one by one."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The sources of a repository in order of path, and how they were found.

    `source` says where the list comes from: a filelist's path or "glob". `notes` are lines for
    the user: files outside the root, missing entries. `suffixes` are the endings that were looked
    for, `folders` those that were listed, each with its modification time in ns. `expanded` are
    variables of the environment that stand in the filelist. `projects` are the files that say
    which sources belong together, each with its bytes and modification time in ns. `foreign` are
    files in other languages that may exercise them. `documents` are those that `documents` finds
    with the same globs.
    """

    files: tuple[SourceFile, ...]
    incdirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    source: str = "glob"
    notes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    folders: Mapping[str, int] = field(default_factory=dict)
    expanded: tuple[str, ...] = ()
    projects: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    foreign: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Others:
    """Files that a walk meets besides the wanted ones, those that ignore files leave out excepted.

    One walk finds both, as listing the folders is most of it.
    """

    projects: list[str] = field(default_factory=list)
    """Of `PROJECTS`, `FOREIGN` and `YAML`."""
    documents: list[str] = field(default_factory=list)

    def add(self, path: str, wanted: bool) -> None:
        """Notes a file; `wanted` says whether it is a wanted one as well."""
        if path.endswith(DOCUMENTS):
            self.documents.append(path)
        if not wanted and path.endswith(_ASIDE):
            self.projects.append(path)

    def clear(self) -> None:
        """Forgets all files."""
        self.projects.clear()
        self.documents.clear()

    def found(self, root: Path) -> dict[str, Any]:
        """Returns what a `Discovery` says of them."""
        listing = sorted(filter(is_project, self.projects))[:MOST_PROJECTS]
        return {
            "projects": dict(_sizes(root, listing)),
            "foreign": tuple(_ending(self.projects, FOREIGN)),
            "documents": tuple(sorted(self.documents)),
        }


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which files of a repository are wanted."""

    root: Path
    suffixes: Sequence[str]
    include: Callable[[str], bool] | None
    exclude: Callable[[str], bool]
    skipped: Skipped = field(default_factory=Skipped)
    folders: dict[str, int] = field(default_factory=dict)
    enter: Callable[[str], bool] | None = None
    others: _Others | None = None
    """Where a walk puts the other files that it meets; None where nobody asks for them."""


def discover(
    root: Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    filelist: Path | None = None,
    trusted: bool = True,
    suffixes: Sequence[str] = RTL_SUFFIXES,
    known: Mapping[str, Known] | None = None,
    secrets: Collection[str] = (),
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> Discovery:
    """Returns the files under `root` that some reader reads.

    Args:
        root: the repository.
        include: gitignore-style globs; when given, only files that match one are taken. They
            also bring back files that `.gitignore` leaves out.
        exclude: gitignore-style globs of files to leave out.
        filelist: a `.f` file; without it `verible.filelist` in the root, else all suffixes.
        trusted: whether the user named the filelist now; one that an index remembers is read as
            one that was found in the repository.
        suffixes: endings of Verilog and SystemVerilog files; those of readers that other
            packages added are taken as well.
        known: facts of an earlier run by path; a file with equal size and time keeps its hash.
        secrets: environment variables that a filelist never expands, besides those whose names
            look like it.
        tick: called with (files read, files found).

    Raises:
        UsageError: `root` is no folder, or the filelist cannot be read.
    """
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder; give the path of a repository")
    root = root.resolve()
    registry.load_installed()
    skipped, others = Skipped(), _Others()
    endings = (*suffixes, *registry.added_suffixes())
    wanted = _wanted(root, endings, include, exclude, skipped, others)
    listed, source = _filelist(root, filelist, trusted, secrets, skipped)
    paths: list[str] = []
    if listed is not None:
        # Filelists do not name headers, so every file that may be included comes along.
        paths = sorted({*listed.files, *_headers(wanted)})
        paths = [path for path in paths if not wanted.exclude(path)]
        _note_list(listed, source, skipped)
        if not paths and filelist is None:
            skipped.messages.append(f"{source}: names no file that exists; all files are taken")
            listed, source = None, "glob"
    if listed is None:
        left_out: list[str] = []
        skipped.found.clear()  # the walk for headers went the same way
        others.clear()
        paths = sorted(_walk(wanted, left_out))
        _note_unmatched(include, paths, skipped)
        if left_out:
            skipped.messages.append(
                f"{len(left_out)} files left out by ignore files, such as {min(left_out)}"
            )
    return Discovery(
        files=tuple(_states(root, paths, known or {}, tick)),
        incdirs=listed.incdirs if listed else (),
        defines=listed.defines if listed else (),
        source=source,
        notes=tuple(skipped.notes()),
        suffixes=tuple(wanted.suffixes) if listed is None else tuple(_header_suffixes(wanted)),
        expanded=listed.expanded if listed else (),
        folders=dict(sorted(wanted.folders.items())[:FOLDERS]),
        **others.found(root),
    )


def is_project(path: str) -> bool:
    """Returns whether a file lists sources or tests that belong together, or has registers."""
    return path.endswith(PROJECTS) or is_test_list(path)


def is_test_list(path: str) -> bool:
    """Returns whether a file is called as riscv-dv calls its lists of tests."""
    return path.endswith(YAML) and "testlist" in path.rpartition("/")[2]


def _ending(paths: Sequence[str], endings: tuple[str, ...]) -> list[str]:
    """Returns the paths with one of some endings, sorted, `MOST_PROJECTS` of them at most."""
    return sorted(path for path in paths if path.endswith(endings))[:MOST_PROJECTS]


def _sizes(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields the bytes and modification times of the files that are there."""
    for path in paths:
        with suppress(OSError):
            stat = os.stat(f"{root}/{path}")  # noqa: PTH116  half the time
            yield path, (stat.st_size, stat.st_mtime_ns)


def _states(
    root: Path,
    paths: Sequence[str],
    known: Mapping[str, Known],
    tick: Callable[[int, int], None],
) -> Iterator[SourceFile]:
    """Yields the states of the files that are there."""
    for done, path in enumerate(paths, 1):
        if (file := source_file(root, path, known.get(path))) is not None:
            yield file
        if not done % PROGRESS_FILES or done == len(paths):
            tick(done, len(paths))


def _note_list(listed: FileList, source: str, skipped: Skipped) -> None:
    """Notes the entries of a filelist that lead to no file, the first of each kind one by one."""
    for what, names in (
        ("outside of the root, not read: ", listed.outside),
        ("does not exist: ", listed.missing),
        ("", listed.notes),
    ):
        skipped.messages += [f"{source}: {what}{name}" for name in names[:_LISTED]]
        if len(names) > _LISTED:
            skipped.messages.append(f"{source}: {what}{len(names) - _LISTED} more")


def wanted_below(
    root: Path,
    enter: Callable[[str], bool],
    *,
    suffixes: Sequence[str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[str]:
    """Yields the paths that a walk takes which lists only some folders.

    Args:
        root: the repository, absolute and free of links.
        enter: tells of a folder, relative to the root, whether it is listed; the root is "".
        suffixes: endings of wanted files.
        include: as of `discover`.
        exclude: as of `discover`.
    """
    wanted = _wanted(root, suffixes, include, exclude, Skipped())
    return _walk(dataclasses.replace(wanted, enter=enter))


def documents(root: Path, exclude: Sequence[str] = ()) -> list[str]:
    """Returns the sorted paths of the documents that no ignore file or glob leaves out."""
    return sorted(_walk(_wanted(root.resolve(), DOCUMENTS, (), exclude, Skipped())))


def _filelist(
    root: Path,
    filelist: Path | None,
    trusted: bool,
    secrets: Collection[str],
    skipped: Skipped,
) -> tuple[FileList | None, str]:
    """Returns the filelist in force and its name for people; (None, "glob") without one."""
    if filelist is None:
        path = root / FOUND_LIST
        if not os.path.lexists(path):
            return None, "glob"
        try:
            return read_filelist(path, root, found=True), FOUND_LIST
        except UsageError as error:
            why = visible(str(error).partition(";")[0])
            skipped.messages.append(f"{FOUND_LIST}: not used ({why}); all files are taken")
            return None, "glob"
    real = Path(os.path.realpath(filelist))
    inside = real.is_relative_to(root)
    name = real.relative_to(root).as_posix() if inside else filelist.name
    return read_filelist(filelist, root, found=not trusted, secrets=secrets), name


def _wanted(
    root: Path,
    suffixes: Sequence[str],
    include: Sequence[str],
    exclude: Sequence[str],
    skipped: Skipped,
    others: _Others | None = None,
) -> _Wanted:
    """Returns what a walk takes; globs that cannot be used are noted in `skipped`."""
    without = _matcher(exclude, skipped) or (lambda path: False)
    matcher = _matcher(include, skipped)
    return _Wanted(root, suffixes, matcher, without, skipped, others=others)


def _note_unmatched(include: Sequence[str], paths: Sequence[str], skipped: Skipped) -> None:
    """Notes the include globs that match no file: one of several may be misspelt."""
    globs = [one for one in include if not one.startswith("!")]
    alone = [one for one in globs if not any(to_spec([one])[0].match_files(paths))]
    if paths and alone:
        told = ", ".join(visible(one[:80]) for one in alone[:UNMATCHED])
        skipped.messages.append(f"no file matches the include globs {told}")


def _headers(wanted: _Wanted) -> Iterator[str]:
    """Returns the wanted files that filelists do not name."""
    return _walk(dataclasses.replace(wanted, suffixes=_header_suffixes(wanted)))


def _header_suffixes(wanted: _Wanted) -> list[str]:
    """Returns the endings of headers, and of files that a reader takes without a filelist."""
    headers = {s for s in (*wanted.suffixes, ".svh", ".vh") if s.endswith("h")}
    added = {*registry.added_suffixes()}
    return sorted({*headers - added, *registry.added_suffixes(listed=False)})


def _walk(wanted: _Wanted, left_out: list[str] | None = None) -> Iterator[str]:
    """Yields the wanted paths; those that only ignore files leave out are added to `left_out`."""
    ignore_files = IgnoreFiles()
    rules, is_git = rules_above(wanted.root, ignore_files)
    suffixes, others = tuple(wanted.suffixes), wanted.others
    walk = Walk(
        wanted.root,
        suffixes if others is None else (*suffixes, *_ASIDE),
        is_git,
        ignore_files,
        wanted.skipped,
        wanted.folders,
        wanted.enter,
        () if others is None else DOCUMENTS,
    )
    for path, ignored in walk.files(list(rules)):
        if wanted.exclude(path):
            continue
        if others is not None:
            is_wanted = path.endswith(suffixes)
            if not ignored:
                others.add(path, is_wanted)
            if not is_wanted:
                continue
        if wanted.include is not None:
            if wanted.include(path):
                yield path
        elif not ignored:
            yield path
        elif left_out is not None:
            left_out.append(path)
    wanted.skipped.messages += ignore_files.notes


def _matcher(globs: Sequence[str], skipped: Skipped) -> Callable[[str], bool] | None:
    """Returns what decides whether a path matches one of the globs, None without any."""
    if not globs:
        return None
    spec, refused = to_spec(globs)
    for one in refused:
        skipped.messages.append(f"glob not used, {one.why}: {visible(globs[one.line - 1][:80])}")
    return lambda path: bool(spec.match_file(path))
