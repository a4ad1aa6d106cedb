"""Checks the parameters of a request against their definitions, with errors for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    from starlette.requests import Request


T = TypeVar("T", bound=msgspec.Struct)
_MISSING = re.compile(r"Object missing required field `(\w{1,40})`")
_WRONG = re.compile(r"(Expected [^$]{1,200}) - at `\$\.(\w{1,40})(?:\[\.\.\.\])?`")


def from_query(kind: type[T], request: Request) -> T:
    """Returns the checked parameters of a request's query.

    Raises:
        UsageError: one is missing, unknown or out of its bounds.
    """
    lists = {name for name, hint in _hints(kind).items() if _is_list(hint)}
    given: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        if name in lists:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise UsageError(f"`{name}` is given twice: give it once")
        else:
            given[name] = value
    return checked(kind, given)


def from_body(kind: type[T], body: bytes) -> T:
    """Returns the checked parameters of a JSON body.

    Raises:
        UsageError: it is no JSON object, or a parameter is wrong.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the body is not what is asked for here: {error}") from error


def checked(kind: type[T], given: dict[str, Any]) -> T:
    """Returns parameters that were given as texts, checked.

    Raises:
        UsageError: one is missing, unknown or out of its bounds.
    """
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{_in_words(str(error))}; /api/v1/openapi.json says what is taken"
        ) from error


def _in_words(error: str) -> str:
    """Returns msgspec's words of a wrong parameter with the parameter first."""
    missing = _MISSING.fullmatch(error)
    if missing:
        return f"`{missing[1]}` is missing in the address"
    wrong = _WRONG.fullmatch(error)
    if not wrong:
        return error
    wanted = wrong[1].replace("`int | null`", "a number").replace("`int`", "a number")
    return f"`{wrong[2]}`: {wanted[0].lower()}{wanted[1:].replace(', got `str`', '')}"


def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=False)


def _is_list(hint: Any) -> bool:
    return get_origin(hint) is list or any(get_origin(part) is list for part in get_args(hint))
