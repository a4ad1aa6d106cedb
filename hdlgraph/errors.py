"""Errors a user can act on; each message names the object and the remedy."""

from __future__ import annotations


class HdlgraphError(Exception):
    """Base of all expected errors: finished with a failure (exit code 1)."""

    exit_code = 1


class UsageError(HdlgraphError):
    """The request itself is wrong: bad path, bad settings, bad option (exit code 2)."""

    exit_code = 2


class SettingsError(UsageError):
    """settings.yaml cannot be used."""


class IndexMissingError(UsageError):
    """There is no usable index where one was expected."""


class IndexVersionError(UsageError):
    """The index was written by another schema version."""


class IndexLockedError(HdlgraphError):
    """Another process is writing this index."""


class WeightsMissingError(HdlgraphError):
    """The embedding weights are not installed or have a wrong checksum."""


class QuestionsError(UsageError):
    """A questions file has a bad line."""


class EndpointError(HdlgraphError):
    """A model endpoint did not answer, or answered something else than asked."""


class BuildError(HdlgraphError):
    """GraphRAG's tables could not be built; the former ones stay."""
