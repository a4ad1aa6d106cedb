"""A shared index in a bucket of an S3 server, through the library obstore (extra `shared`).

Everything about who asks comes from the environment. No credentials in it means no request: the
machine's metadata service is asked only where AWS_EC2_METADATA_DISABLED=false says so.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hdlgraph.errors import UsageError
from hdlgraph.store.shared.address import Address, endpoint
from hdlgraph.store.shared.bucket import BucketError, ConflictError, Found, ObjectMissingError

PIECE = 8 << 20
"""Bytes that are asked for at once: each piece has its own limit of time."""
QUICK, PATIENT = (2, 4), (10, 60)
"""Seconds to connect, and for one request: of a look at the pointer, and of all else."""
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_CLOCK = ("RequestTimeTooSkewed", "RequestExpired")
_WAYS = (
    ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"),
    ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI",),
)
"""Variables of the environment that together say who asks."""


class S3Bucket:
    """Objects of a bucket below a prefix.

    Args:
        address: the bucket and the prefix.
        patient: see `open_bucket`.

    Raises:
        UsageError: obstore is not installed, or the environment says too little or something
            unsafe.
    """

    def __init__(self, address: Address, *, patient: bool) -> None:
        try:
            from obstore.store import S3Store
        except ImportError as error:
            raise UsageError(
                f"index {address}: needs the package obstore; install it with "
                "`pip install 'hdlgraph[shared]'`"
            ) from error
        self._address = address
        self._where = endpoint()
        try:
            self._store: Any = S3Store(
                address.bucket,
                prefix=address.prefix or None,
                config=_config(address, self._where),
                client_options=_client(self._where, patient),
                retry_config=_retry(patient),
            )
        except UsageError:
            raise
        except Exception as error:  # obstore has no common class for a wrong environment
            raise UsageError(
                f"index {address}: the variables AWS_* of the environment do not fit together "
                f"({type(error).__name__})"
            ) from error

    def read(self, key: str, limit: int) -> tuple[bytes, str]:
        """See `Bucket.read`."""
        with self._clear_errors(key):
            found = self._store.get(key)
            if found.meta["size"] > limit:
                raise BucketError(f"index {self._address}: {key} has more than {limit:,} bytes")
            data, size = [], 0
            for piece in found.stream(min_chunk_size=1 << 16):
                size += len(piece)
                if size > limit:  # whatever size the server told before
                    raise BucketError(f"index {self._address}: {key} has more than {limit:,} bytes")
                data.append(bytes(piece))
            return b"".join(data), found.meta["e_tag"] or ""

    def stream(self, key: str, size: int) -> Iterator[bytes]:
        """See `Bucket.stream`."""
        with self._clear_errors(key):
            for start in range(0, size, PIECE):
                yield bytes(self._store.get_range(key, start=start, end=min(start + PIECE, size)))

    def send(self, key: str, source: Path | bytes) -> None:
        """See `Bucket.send`."""
        with self._clear_errors(key):
            self._store.put(key, source)

    def swap(self, key: str, data: bytes, version: str) -> str:
        """See `Bucket.swap`."""
        mode: Any = {"e_tag": version} if version else "create"
        with self._clear_errors(key):
            return self._store.put(key, data, mode=mode, use_multipart=False)["e_tag"] or ""

    def time(self, key: str) -> tuple[datetime, str]:
        """See `Bucket.time`."""
        with self._clear_errors(key):
            found = self._store.head(key)
            return found["last_modified"], found["e_tag"] or ""

    def list(self) -> Iterator[Found]:
        """See `Bucket.list`."""
        with self._clear_errors(""):
            for page in self._store.list():
                for one in page:
                    yield Found(one["path"], one["size"], one["last_modified"])

    def remove(self, keys: Sequence[str]) -> None:
        """See `Bucket.remove`."""
        with self._clear_errors(""):
            if keys:
                self._store.delete(list(keys))

    @contextmanager
    def _clear_errors(self, key: str) -> Iterator[None]:
        """Turns what the server or the library says into a message for people.

        Only codes and known words of their texts are shown: these hold addresses and headers.
        """
        from obstore import exceptions

        try:
            yield
        except FileNotFoundError as error:
            if _code(error) == "NoSuchBucket":
                raise BucketError(f"index {self._address}: there is no such bucket") from None
            raise ObjectMissingError(f"index {self._address}: has no {key}") from None
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise ConflictError(f"index {self._address}: {key} is another one by now") from None
        except (exceptions.BaseError, OSError, ValueError) as error:
            raise BucketError(f"index {self._address}: {self._why(error)}") from None

    def _why(self, error: Exception) -> str:
        """Returns what went wrong, and what to do."""
        code, text = _code(error), str(error).lower()
        if code in _CLOCK:
            return (
                "the clock of this machine differs from the server's by minutes, so that requests "
                f"are refused ({code}); set the clock"
            )
        refused = ("PermissionDeniedError", "UnauthenticatedError")
        if type(error).__name__ in refused or code in ("AccessDenied", "InvalidAccessKeyId"):
            return (
                f"the server refuses these credentials ({code or 'no permission'}); look at "
                "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION"
            )
        if code:
            return f"the server answers {code}"
        server = urlsplit(self._where).hostname or "Amazon S3"
        for word, why in (
            ("timed out", "does not answer in time"),
            ("timeout", "does not answer in time"),
            ("dns", "is a name that cannot be found"),
            ("refused", "refuses connections"),
            ("certificate", "has a certificate that is not trusted"),
        ):
            if word in text:
                return f"the server {server} {why}"
        return f"the server {server} cannot be reached, or answers something that is not S3"


def _code(error: Exception) -> str:
    """Returns the code of S3 in an error's text, "" where there is none."""
    found = _CODE.search(str(error))
    return found[1] if found else ""


def _config(address: Address, where: str) -> Any:
    """Returns what S3 is told beside that which obstore reads in the environment itself.

    Raises:
        UsageError: the environment names no credentials.
    """
    config: dict[str, Any] = {}
    if where:
        config["endpoint"] = where
    if os.environ.get("AWS_SKIP_SIGNATURE", "").lower() in ("1", "true"):
        return {**config, "skip_signature": True}
    named = any(all(os.environ.get(name) for name in way) for way in _WAYS)
    if not named and os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() != "false":
        raise UsageError(
            f"index {address}: the environment has no credentials; set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY (and AWS_REGION), AWS_SKIP_SIGNATURE=true for a public bucket, "
            "or AWS_EC2_METADATA_DISABLED=false to ask this machine's metadata service"
        )
    return config


def _client(where: str, patient: bool) -> Any:
    """Returns the limits of one request.

    Raises:
        UsageError: the endpoint is not encrypted, and neither this machine nor admitted so.
    """
    connect, whole = PATIENT if patient else QUICK
    options: dict[str, Any] = {
        "connect_timeout": timedelta(seconds=connect),
        "timeout": timedelta(seconds=whole),
    }
    named = urlsplit(where)
    if where and (named.username or named.password):
        raise UsageError("AWS_ENDPOINT_URL holds credentials; take them out of it")
    if named.scheme == "http":
        admitted = os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true")
        if not admitted and not _is_here(named.hostname or ""):
            raise UsageError(
                f"AWS_ENDPOINT_URL names {named.hostname} without encryption; write https://, or "
                "set AWS_ALLOW_HTTP=true"
            )
        options["allow_http"] = True
    return options


def _is_here(host: str) -> bool:
    """Returns whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _retry(patient: bool) -> Any:
    """Returns how often a request is made again: a look at the pointer is not worth a wait."""
    if patient:
        return {"max_retries": 5, "retry_timeout": timedelta(seconds=90)}
    return {"max_retries": 1, "retry_timeout": timedelta(seconds=3)}
