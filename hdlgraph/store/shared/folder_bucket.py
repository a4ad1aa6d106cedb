"""A shared index in a folder that several machines mount: file:///FOLDER."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from hdlgraph.errors import IndexLockedError, UnsafeFileError
from hdlgraph.safety.safe_files import create_file, open_inside, open_regular, read_inside
from hdlgraph.store.lock import NAME as LOCK
from hdlgraph.store.lock import index_lock
from hdlgraph.store.shared.address import Address
from hdlgraph.store.shared.bucket import (
    BucketError,
    ConflictError,
    FolderMissingError,
    Found,
    ObjectMissingError,
)

PIECE = 1 << 20
VERSION_BYTES = 1_000_000
"""Bytes of the largest object whose version is asked for."""


class FolderBucket:
    """Objects as files of a folder; links that lead out of it are not followed."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._root = Path(os.path.realpath(address.prefix))

    def read(self, key: str, limit: int) -> tuple[bytes, str]:
        """See `Bucket.read`."""
        with self._clear_errors(key):
            data = read_inside(self._root, key, limit)
            return data, hashlib.sha256(data).hexdigest()

    def stream(self, key: str, size: int) -> Iterator[bytes]:
        """See `Bucket.stream`."""
        del size  # a file ends by itself
        with self._clear_errors(key), open_inside(self._root, key) as stream:
            while piece := stream.read(PIECE):
                yield piece

    def send(self, key: str, source: Path | bytes) -> None:
        """See `Bucket.send`."""
        target = self._root / key
        with self._clear_errors(key):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f"{target.name}.{secrets.token_hex(4)}.new")
            try:
                with create_file(temporary) as stream:
                    if isinstance(source, bytes):
                        stream.write(source)
                    else:
                        with open_regular(source, follow=False) as given:
                            while piece := given.read(PIECE):
                                stream.write(piece)
                    stream.flush()
                    os.fsync(stream.fileno())
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)

    def swap(self, key: str, data: bytes, version: str) -> str:
        """See `Bucket.swap`."""
        with self._clear_errors(key):
            self._root.mkdir(parents=True, exist_ok=True)
        try:
            with index_lock(self._root):
                if self._version(key) != version:
                    raise ConflictError(f"index {self._address}: {key} is another one by now")
                self.send(key, data)
        except IndexLockedError as error:
            raise ConflictError(f"index {self._address}: somebody else is publishing") from error
        return hashlib.sha256(data).hexdigest()

    def _version(self, key: str) -> str:
        try:
            return self.read(key, VERSION_BYTES)[1]
        except ObjectMissingError:
            return ""

    def time(self, key: str) -> tuple[datetime, str]:
        """See `Bucket.time`."""
        with self._clear_errors(key):
            found = (self._root / key).stat(follow_symlinks=False).st_mtime
        return datetime.fromtimestamp(found, UTC), self._version(key)

    def list(self) -> Iterator[Found]:
        """See `Bucket.list`."""
        with self._clear_errors(""):
            for folder, _, names in os.walk(self._root):
                for name in sorted(names):
                    path = Path(folder, name)
                    key = path.relative_to(self._root).as_posix()
                    found = path.lstat()
                    if key != LOCK:
                        time = datetime.fromtimestamp(found.st_mtime, UTC)
                        yield Found(key, found.st_size, time)

    def remove(self, keys: Sequence[str]) -> None:
        """See `Bucket.remove`."""
        for key in keys:
            with self._clear_errors(key), suppress(FileNotFoundError):
                (self._root / key).unlink()

    @contextmanager
    def _clear_errors(self, key: str) -> Iterator[None]:
        """Turns what the system says into a message for people."""
        try:
            yield
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self._root.is_dir():
                raise FolderMissingError(
                    f"index {self._address}: there is no such folder"
                ) from error
            raise ObjectMissingError(f"index {self._address}: has no {key}") from error
        except UnsafeFileError as error:
            raise BucketError(f"index {self._address}: {error}") from error
        except OSError as error:
            why = error.strerror or error
            raise BucketError(f"index {self._address}: {key} cannot be used ({why})") from error
