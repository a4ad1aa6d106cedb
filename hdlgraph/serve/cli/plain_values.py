"""Takes values of options that need no conversion past typer's, which loads pydantic for them.

That takes 0.2 to 0.3 s of CPU, more than many a command itself. What has a rule of its own (a
choice, a number, a path that must exist) goes typer's way, and so does everything with a typer
that knows no such values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

_OTHERWISE = object()
"""Stands for a value that typer converts."""
_RULES = ("exists", "resolve_path", "allow_dash", "path_type", "parser", "click_type")
"""What the declaration of a path may ask of it beyond being one."""


def spare_conversions(command: Any) -> Any:
    """Makes a command and those below it take plain values as they are; returns it."""
    for parameter in command.params:
        _spare(parameter)
    command.get_help_option = partial(_help, command.get_help_option)
    for inner in getattr(command, "commands", {}).values():
        spare_conversions(inner)
    return command


def _spare(parameter: Any) -> None:
    process = parameter.process_value
    if hasattr(parameter, "type_descriptor") and not isinstance(process, partial):
        parameter.process_value = partial(_value, parameter, process)


def _help(make: Callable[[Any], Any], context: Any) -> Any:
    """Returns the option --help, which a command makes when it is called."""
    option = make(context)
    if option is not None:
        _spare(option)
    return option


def _value(parameter: Any, process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    found = _plain(parameter, value)
    if found is _OTHERWISE or (parameter.required and not found):
        return process(context, value)
    return found if parameter.callback is None else parameter.callback(context, parameter, found)


def _plain(parameter: Any, value: Any) -> Any:
    """Returns what typer makes of a value where that is plain, else `_OTHERWISE`."""
    described = parameter.type_descriptor
    wanted, declared = described.annotation, described.parameter_info
    several = parameter.multiple or parameter.nargs == -1
    if value is None:
        return () if several else None
    if any(getattr(declared, rule, None) for rule in _RULES):
        return _OTHERWISE
    if several or parameter.nargs != 1:
        return list(value) if wanted == list[str] and _are_texts(value) else _OTHERWISE
    if wanted is Path and isinstance(value, str | Path):
        return Path(value)
    # Of the command line comes text alone: a number or a choice that is one is a default.
    if isinstance(wanted, type) and type(value) is wanted:
        return value
    return _OTHERWISE


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(type(one) is str for one in value)
