"""Keeps on disk which batches are submitted, so that a later run collects their answers."""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.safety.safe_files import write_atomic

FILE = "batches.json"


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """One batch of calls of one model.

    `key` is the mark that the batch carries at the endpoint. `id` is "" from just before the
    submission until the endpoint's answer arrived: a run killed in between finds the batch by its
    key. `attempt` counts submissions of the same calls, from 0.
    """

    key: str
    endpoint: str
    model: str
    digests: tuple[str, ...]
    attempt: int = 0
    id: str = ""
    file: str = ""


class BatchFile:
    """The list of submitted batches; every change is on disk when the method returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries = {entry.key: entry for entry in _read(path)}

    def of(self, endpoint: str) -> list[Submitted]:
        """Returns the batches of an endpoint, oldest first."""
        return [entry for entry in self._entries.values() if entry.endpoint == endpoint]

    def keep(self, entry: Submitted) -> Submitted:
        """Adds or replaces an entry and returns it."""
        self._entries[entry.key] = entry
        self._write()
        return entry

    def drop(self, entry: Submitted) -> None:
        """Removes an entry whose answers are stored or lost."""
        if self._entries.pop(entry.key, None) is not None:
            self._write()

    def _write(self) -> None:
        if not self._entries:
            self.path.unlink(missing_ok=True)
            return
        data = msgspec.json.encode({"batches": list(self._entries.values())})
        write_atomic(self.path, msgspec.json.format(data, indent=1))


def new_key() -> str:
    """Returns a mark that no other batch has."""
    return f"hdlgraph-{secrets.token_hex(8)}"


def _read(path: Path) -> list[Submitted]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        return msgspec.json.decode(data, type=dict[str, list[Submitted]])["batches"]
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path}: is damaged ({error}); it names batches that are paid for. Restore it, or "
            "delete it to submit their calls again"
        ) from error
