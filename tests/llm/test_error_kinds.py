"""Errors of the model client: what their kind says, and that they reach another process whole."""

from __future__ import annotations

import multiprocessing
import pickle
from typing import Any

import pytest

from hdlgraph import errors
from hdlgraph.errors import CallError, ErrorKind, HdlgraphError
from hdlgraph.results import StageUsage

CLASSES = [
    kind
    for _, kind in sorted(vars(errors).items())
    if isinstance(kind, type) and issubclass(kind, HdlgraphError)
]
USAGE = StageUsage(stage="extract", calls=3, input_tokens=70, output_tokens=8)


def _made(kind: type[HdlgraphError]) -> HdlgraphError:
    """Returns an error with a value in every field that its class takes."""
    if issubclass(kind, errors.CallError):
        return kind("a message", ErrorKind.OVERFLOW)
    if issubclass(kind, errors.BuildError):
        return kind("a message", (USAGE,))
    return kind("a message", "a second line")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_error_survives_pickling_with_all_its_fields(kind: type[HdlgraphError]) -> None:
    error = _made(kind)
    error.add_note("said later")
    error.found_in = "fifo.sv"  # type: ignore[attr-defined]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert type(again) is kind
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
        assert again.exit_code == error.exit_code
        assert again.lines == error.lines


def test_the_fields_of_a_call_and_of_a_build_arrive() -> None:
    call = pickle.loads(pickle.dumps(CallError("m: no such model", "model")))
    assert call.kind is ErrorKind.MODEL
    assert call.kind.user_must_mend
    build = pickle.loads(pickle.dumps(errors.BuildError("no tables", (USAGE,))))
    assert build.usage == (USAGE,)
    unsafe = pickle.loads(pickle.dumps(errors.UnsafeFileError("is a link")))
    assert isinstance(unsafe, OSError)


def test_an_error_with_arguments_of_its_own_needs_no_further_method() -> None:
    again = pickle.loads(pickle.dumps(_Placed("fifo.sv", line=7)))
    assert (type(again), str(again), again.line) == (_Placed, "fifo.sv:7: is odd", 7)


class _Placed(HdlgraphError):
    def __init__(self, path: str, *, line: int) -> None:
        super().__init__(f"{path}:{line}: is odd")
        self.line = line


def _raise(pipe: Any) -> None:
    pipe.send(CallError("the server is gone", ErrorKind.UNREACHABLE))


def test_an_error_crosses_the_border_of_a_process() -> None:
    context = multiprocessing.get_context("spawn")
    near, far = context.Pipe()
    process = context.Process(target=_raise, args=(far,))
    process.start()
    assert near.poll(30)
    found = near.recv()
    process.join()
    assert isinstance(found, CallError)
    assert found.kind is ErrorKind.UNREACHABLE
    assert found.kind.endpoint_down


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="unreachabel"):
        CallError("x", "unreachabel")


def test_the_kinds_say_what_a_caller_may_do() -> None:
    def having(name: str) -> set[str]:
        return {kind.value for kind in ErrorKind if getattr(kind, name)}

    assert having("user_must_mend") == {"auth", "model"}
    assert having("stops_run") == {"auth", "model", "stopped"}
    assert having("endpoint_down") == {"unreachable", "server", "timeout", "truncated"}
    assert having("unanswered") == {"unreachable", "server", "rate", "timeout", "stopped"}
    assert having("same_if_repeated") == {"refusal", "empty", "truncated", "format", "request"}
    # Each kind tells its caller something; a prompt that is too long is sent again, shorter.
    told = set().union(*map(having, ("stops_run", "endpoint_down", "unanswered")))
    assert set(ErrorKind) - told - having("same_if_repeated") == {"overflow"}
