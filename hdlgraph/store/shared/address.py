"""The address of a shared index, and the user's own folder that its files are kept in.

    ~/.cache/hdlgraph/shared/NAME-HASH/
        index/          an ordinary index folder: the generation that was taken last
        incoming/       files that were fetched and checked, until their generation is complete
        state.json      which generation that is, and when the pointer was looked at
        checkouts/      which files of a checkout have the content that was indexed
        build-HASH/     the index folder of a builder, one for each repository

Nobody but the user may enter it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible

S3, FILE = "s3", "file"
# A path object has made one slash of two, and none of `s3://`: `s3:/bucket/soc` means the same.
_ADDRESS = re.compile(r"(s3|file):(?:/+(.*))?", re.S)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
_PART = re.compile(r"[A-Za-z0-9_.+=!()-]{1,200}")
_LONGEST = 800
_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Address:
    """Where a shared index lies. `bucket` is "" for a folder, whose path is then `prefix`."""

    scheme: str
    bucket: str
    prefix: str

    def __str__(self) -> str:
        if self.scheme == FILE:
            return f"file://{self.prefix}"
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def is_address(given: Path | str | None) -> bool:
    """Returns whether an index is named by an address, and not by a folder."""
    return given is not None and _ADDRESS.fullmatch(str(given)) is not None


def read_address(given: Path | str) -> Address:
    """Returns the address that a text says: s3://BUCKET/PATH, or file:///FOLDER.

    Raises:
        UsageError: it is none; credentials, options and ways upwards have no place in one.
    """
    found = _ADDRESS.fullmatch(str(given))
    if found is None:
        raise _wrong(given, "write s3://BUCKET/PATH, or file:///FOLDER")
    scheme, rest = found[1], found[2] or ""
    if scheme == FILE and not rest:
        raise _wrong(given, "write file:///FOLDER")
    if scheme == FILE:
        return Address(FILE, "", os.path.normpath(f"/{rest}"))
    if {"@", "?", "#", "%"} & set(rest):
        # The text is not repeated: it may hold a key.
        raise UsageError(
            "the address of the index holds one of @ ? # %: write s3://BUCKET/PATH; credentials "
            "are taken from the environment alone (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
        )
    bucket, _, prefix = rest.partition("/")
    parts = [part for part in prefix.split("/") if part]
    if not _BUCKET.fullmatch(bucket):
        raise _wrong(given, "write s3://BUCKET/PATH")
    if len(prefix) > _LONGEST or not all(
        _PART.fullmatch(p) and p not in (".", "..") for p in parts
    ):
        raise _wrong(given, "a path has letters, digits and . _ - + = ! ( ) between its slashes")
    return Address(S3, bucket, "/".join(parts))


def _wrong(given: Path | str, remedy: str) -> UsageError:
    return UsageError(f"index {visible(str(given)[:200])}: is no address of an index; {remedy}")


@dataclass(frozen=True, slots=True)
class Place:
    """The user's own folder for one shared index; see the module."""

    base: Path

    @property
    def index(self) -> Path:
        """Returns the index folder that readers open."""
        return self.base / "index"

    @property
    def incoming(self) -> Path:
        """Returns the folder of files whose generation is not complete."""
        return self.base / "incoming"

    @property
    def state(self) -> Path:
        """Returns the file that says what was taken, and when."""
        return self.base / "state.json"

    @property
    def nowhere(self) -> Path:
        """Returns the root of a reader without a checkout: a folder that does not exist."""
        return self.base / "no-checkout"

    def checkout(self, root: Path) -> Path:
        """Returns the file of what is known of the files of a checkout."""
        return self.base / "checkouts" / f"{_digest(os.fsencode(root))}.msgpack"

    def build(self, root: Path) -> Path:
        """Returns the index folder in which a builder makes the index of a repository."""
        return self.base / f"build-{_digest(os.fsencode(root))}"

    def make(self) -> None:
        """Makes the folder, for this user alone.

        Raises:
            UsageError: it cannot be made, is a link, or belongs to somebody else.
        """
        try:
            for folder in (self.base, self.incoming, self.base / "checkouts"):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                found = folder.lstat()
                if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                    raise UsageError(
                        f"{folder}: is no folder of your own; name another with XDG_CACHE_HOME"
                    )
            self.base.chmod(0o700)
        except OSError as error:
            raise UsageError(
                f"{self.base}: cannot be made ({error.strerror}); name another with XDG_CACHE_HOME"
            ) from error


def place_of(address: Address) -> Place:
    """Returns the user's folder for a shared index; nothing is made.

    Buckets of one name at two endpoints have two.
    """
    cache = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(cache) if cache.startswith("/") else Path("~/.cache").expanduser()
    named = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{address.bucket}-{address.prefix}").strip("-.")
    digest = _digest(f"{address}\0{endpoint() if address.scheme == S3 else ''}".encode())
    return Place(base / "hdlgraph" / "shared" / f"{named[-_NAME_CHARS:]}-{digest}")


def endpoint() -> str:
    """Returns the address of the S3 server that the environment names, "" for Amazon's."""
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"):
        if found := os.environ.get(name, ""):
            return found
    return ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]
