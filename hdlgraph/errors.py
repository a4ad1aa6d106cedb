"""Errors a user can act on; each message names the object and the remedy."""

from __future__ import annotations


class HdlgraphError(Exception):
    """Base of all expected errors: finished with a failure (exit code 1).

    Each argument is a line of the message; a line break within one is shown, not obeyed.
    """

    exit_code = 1

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the lines of the message."""
        return tuple(str(line) for line in self.args)

    def __str__(self) -> str:
        return "\n".join(self.lines)


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


class CallError(EndpointError):
    """One call of a language model failed for good; `kind` says how.

    Kinds: unreachable, server, rate, timeout (the endpoint's fault, tried again before), auth,
    model (no such model), request (refused as wrong), overflow (longer than the context),
    refusal, empty, truncated, format (not the JSON asked for), stopped (not sent: the run's limit
    was reached or the endpoint has stopped answering).
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple:
        """Returns what makes the error again on the other side of a process border."""
        return type(self), (*self.args, self.kind)


class BudgetError(HdlgraphError):
    """--max-cost or --max-tokens is reached; what was paid is stored, a new run goes on."""


class BuildError(HdlgraphError):
    """GraphRAG's tables could not be built; the former ones stay.

    `usage` says what calls of a model the build made, by stage.
    """

    def __init__(self, message: str, usage: tuple = ()) -> None:
        super().__init__(message)
        self.usage = usage
