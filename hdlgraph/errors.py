"""Errors a user can act on; each message names the object and the remedy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")


class HdlgraphError(Exception):
    """Base of all expected errors: finished with a failure (exit code 1).

    Each argument is a line of the message; a line break within one is shown, not obeyed. Errors
    keep all their fields when they are sent to another process.
    """

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns what pickle makes the error from, whatever arguments its class takes."""
        return _restored, (type(self), self.args, dict(vars(self)))

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the lines of the message."""
        return tuple(str(line) for line in self.args)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _restored(kind: type[HdlgraphError], args: tuple[Any, ...], fields: dict[str, Any]) -> Any:
    """Returns the error that another process raised."""
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(fields)
    return error


def telling_errors(main: Callable[P, int | None]) -> Callable[P, int]:
    """Returns the main function of a command, with expected errors told in a line of stderr.

    What it returns is the exit code: that of the error, 2 for a file that cannot be opened, else
    what `main` returns, 0 for None.
    """

    @wraps(main)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return main(*args, **kwargs) or 0
        except HdlgraphError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_code
        except OSError as error:
            if error.filename is None:
                raise
            sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
            return 2

    return run


class UsageError(HdlgraphError):
    """The request itself is wrong: bad path, bad settings, bad option (exit code 2)."""

    exit_code = 2


class SettingsError(UsageError):
    """settings.yaml cannot be used."""


class IndexMissingError(UsageError):
    """There is no usable index where one was expected."""


class IndexVersionError(UsageError):
    """The index was written by another schema version."""


class IndexDamagedError(UsageError):
    """A file of the index is not as it was written."""


class IndexUnsafeError(UsageError):
    """The index folder holds links, belongs to somebody else or is none of hdlgraph's."""


class IndexLockedError(HdlgraphError):
    """Another process is writing this index."""


class UnsafeFileError(HdlgraphError, OSError):
    """A file of a stranger is not what it may be: a link, a pipe, too large, outside its root.

    An OSError too: whoever skips and reports what cannot be read does so with it.
    """

    def __str__(self) -> str:
        return str(self.args[0])


class WeightsMissingError(HdlgraphError):
    """The embedding weights are not installed or have a wrong checksum."""


class QuestionsError(UsageError):
    """A questions file has a bad line."""


class EndpointError(HdlgraphError):
    """A model endpoint did not answer, or answered something else than asked."""


class ErrorKind(StrEnum):
    """How a call of a language model failed; the properties say what that means for the caller."""

    UNREACHABLE = "unreachable"
    """No connection, or it broke before an answer."""
    SERVER = "server"
    """The server reports an error of its own, or answers with something else than a completion."""
    RATE = "rate"
    """The account has used up its rate limit or its credit."""
    TIMEOUT = "timeout"
    """No answer, or no whole one, in the time allowed."""
    AUTH = "auth"
    """The key is wrong or has no right to the model."""
    MODEL = "model"
    """The endpoint has no such model."""
    REQUEST = "request"
    """The endpoint refuses the request as wrong."""
    OVERFLOW = "overflow"
    """The prompt is longer than the model's context."""
    REFUSAL = "refusal"
    """The model or its content filter refuses to answer."""
    EMPTY = "empty"
    """The answer has no text."""
    TRUNCATED = "truncated"
    """The answer broke off before its end."""
    FORMAT = "format"
    """The answer is not the JSON that was asked for."""
    STOPPED = "stopped"
    """The call was not sent: the client was closed, or the endpoint was given up."""

    @property
    def user_must_mend(self) -> bool:
        """Whether only the user can mend it: the key or the name of the model is wrong."""
        return self in (ErrorKind.AUTH, ErrorKind.MODEL)

    @property
    def stops_run(self) -> bool:
        """Whether every further call to the same model would fail too."""
        return self.user_must_mend or self is ErrorKind.STOPPED

    @property
    def endpoint_down(self) -> bool:
        """Whether the endpoint is in trouble, and not the call."""
        return self in _DOWN

    @property
    def unanswered(self) -> bool:
        """Whether the model said nothing, so that asking it something else is no use just now."""
        return self in _UNANSWERED

    @property
    def same_if_repeated(self) -> bool:
        """Whether the same question would most likely fail again, while others may not."""
        return self in _SAME_IF_REPEATED


_DOWN = frozenset(map(ErrorKind, ("unreachable", "server", "timeout", "truncated")))
_UNANSWERED = frozenset(map(ErrorKind, ("unreachable", "server", "rate", "timeout", "stopped")))
_SAME_IF_REPEATED = frozenset(
    map(ErrorKind, ("refusal", "empty", "truncated", "format", "request"))
)


class CallError(EndpointError):
    """One call of a language model failed for good, repetitions included; `kind` says how."""

    def __init__(self, message: str, kind: ErrorKind | str) -> None:
        super().__init__(message)
        self.kind = ErrorKind(kind)


class BudgetError(HdlgraphError):
    """--max-cost or --max-tokens is reached; what was paid is stored, a new run goes on."""


class BuildError(HdlgraphError):
    """GraphRAG's tables could not be built; the former ones stay.

    `usage` holds a `StageUsage` for each stage whose model calls the build had paid for.
    """

    def __init__(self, message: str, usage: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.usage = usage
