"""Asks git about a repository of a stranger without running anything that the repository names.

A repository's own configuration may name commands: a file-system monitor, hooks, a pager, an
external diff, filters of file contents, helpers of a network. Only commands are used here that
read trees and blobs; what of the configuration could still start something is switched off.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hdlgraph.errors import UsageError

TIMEOUT_S = 120
"""Longest time of one command of git."""
TREE_BYTES = 512_000_000
"""Bytes of the largest listing of a tree that is taken; a million files take about 100 MB."""
FILE, LINK, MODULE = "file", "link", "submodule"
_MODES = {"100644": FILE, "100755": FILE, "100664": FILE, "120000": LINK, "160000": MODULE}
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

_OFF = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.askPass="),
    *("core.sshCommand=false", "core.gitProxy=", "credential.helper=", "diff.external="),
    *("protocol.allow=never", "safe.bareRepository=explicit", "gc.auto=0", "maintenance.auto=0"),
    *("core.alternateRefsCommand=", "uploadpack.packObjectsHook=", "submodule.recurse=false"),
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone would start its helper of the network
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES")
"""Variables of git that the user may have set; the others belong to whoever called a hook."""


class Entry(NamedTuple):
    """What a commit holds under a path: its kind (file, link, submodule) and its hash."""

    kind: str
    hash: str


class Git:
    """Reads the commits of the git repository that a folder lies in.

    Args:
        root: the folder, absolute and free of links; paths are relative to it.

    Raises:
        UsageError: git is not installed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._program = _program(root)

    def commit(self, revision: str) -> str:
        """Returns the hash of the commit that a revision names.

        Raises:
            UsageError: there is no such commit, or no git repository.
        """
        if not revision or revision.startswith("-") or "\0" in revision:
            raise UsageError(f"revision {revision!r}: is none; name a commit, branch or tag")
        done = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        found = done.stdout.decode("ascii", "replace").strip()
        if done.returncode or not _HASH.fullmatch(found):
            raise UsageError(self._why(revision, done.stderr))
        return found

    def merge_base(self, one: str, other: str) -> str:
        """Returns the hash of the best common ancestor of two commits, "" where none is known."""
        done = self._run("merge-base", one, other)
        found = done.stdout.decode("ascii", "replace").split()
        return found[0] if found and _HASH.fullmatch(found[0]) else ""

    def tree(self, commit: str) -> dict[str, Entry]:
        """Returns what a commit holds below the folder, by path in the order of paths.

        Paths that are not UTF-8 are left out, as an index cannot hold them.

        Raises:
            UsageError: the tree cannot be read, as in a clone that has only a part of it.
        """
        done = self._run("ls-tree", "-r", "-z", commit)
        if done.returncode or len(done.stdout) > TREE_BYTES:
            why = _line(done.stderr) or "its listing is too large"
            raise UsageError(f"commit {commit[:12]} of {self.root}: cannot be read ({why})")
        return dict(sorted(_entries(done.stdout)))

    def blobs(self, hashes: Iterable[str], limit: int) -> dict[str, bytes]:
        """Returns the contents of files by their hashes; what has more bytes is left out.

        Args:
            hashes: as `tree` names them.
            limit: the most bytes of one of them.
        """
        wanted = sorted({one for one in hashes if _HASH.fullmatch(one)})
        asked = "".join(f"{one}\n" for one in wanted).encode()
        sizes = self._run("cat-file", "--batch-check", given=asked).stdout.decode(
            "ascii", "replace"
        )
        small = [
            words[0]
            for words in map(str.split, sizes.splitlines())
            if len(words) == 3 and words[1] == "blob" and int(words[2]) <= limit
        ]
        asked = "".join(f"{one}\n" for one in small).encode()
        return (
            dict(_contents(self._run("cat-file", "--batch", given=asked).stdout)) if small else {}
        )

    def _run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        off = (word for setting in _OFF for word in ("-c", setting))
        command = [self._program, "--no-pager", "-C", str(self.root), *off, *arguments]
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name in _KEPT
        }
        try:
            return subprocess.run(
                command,
                input=given,
                capture_output=True,
                env={**kept, **_ENVIRONMENT},
                cwd=os.sep,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise UsageError(
                f"git {arguments[0]} in {self.root}: no answer in {TIMEOUT_S} s; name the changed "
                "files with --files instead"
            ) from error

    def _why(self, revision: str, output: bytes) -> str:
        inside = self._run("rev-parse", "--git-dir")
        if inside.returncode:
            return (
                f"{self.root}: git cannot read it ({_line(inside.stderr or output)}); name the "
                "changed files with --files instead"
            )
        return (
            f"revision {revision!r}: git knows no such commit in {self.root}; fetch it first "
            "(a shallow clone has the newest commits alone)"
        )


def blob_hash(data: bytes, like: str) -> str:
    """Returns the hash that git gives a file's content, of the same kind as `like`."""
    import hashlib

    kind = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _program(root: Path) -> str:
    """Returns the path of git, which is looked for in no folder of the repository."""
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep):
        place = Path(entry)
        if entry and place.is_absolute() and not place.resolve().is_relative_to(root):
            found = shutil.which("git", path=entry)
            if found:
                return found
    raise UsageError("git: is not installed; name the changed files with --files instead")


def _entries(listing: bytes) -> Iterator[tuple[str, Entry]]:
    for line in listing.split(b"\0"):
        head, _, name = line.partition(b"\t")
        words = head.decode("ascii", "replace").split()
        if len(words) != 3 or words[0] not in _MODES:
            continue
        try:
            yield name.decode(), Entry(_MODES[words[0]], words[2])
        except UnicodeDecodeError:
            continue


def _contents(answer: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(answer):
        end = answer.find(b"\n", at)
        words = answer[at:end].decode("ascii", "replace").split()
        if end < 0 or len(words) != 3:
            return
        size = int(words[2])
        yield words[0], answer[end + 1 : end + 1 + size]
        at = end + 2 + size


def _line(output: bytes) -> str:
    text = output.decode("utf-8", "replace").strip()
    return text.splitlines()[0][:300] if text else "no git repository"
