"""Checks the arguments that a model gives a tool; a mistake gives a sentence it can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible

_KINDS: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


def checked(given: Mapping[str, Any] | None, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments that were given, without those that are null.

    Args:
        given: the arguments of a call.
        schema: the JSON schema of a tool, see `Tool.schema`.

    Raises:
        UsageError: one is missing, unknown, of another kind, or out of its range.
    """
    known = schema["properties"]
    found = {name: value for name, value in (given or {}).items() if value is not None}
    unknown = sorted(set(found) - set(known))
    if unknown:
        names = ", ".join(visible(name[:80]) for name in unknown[:3])
        raise UsageError(f"{names}: no such argument; there are {', '.join(known) or 'none'}")
    for name in schema["required"]:
        if name not in found:
            allowed = known[name].get("enum")
            among = f", one of {', '.join(allowed)}" if allowed else ""
            raise UsageError(f"{name}: is needed{among}")
    for name, value in found.items():
        _check(name, value, known[name])
    return found


def _check(name: str, value: Any, rule: Mapping[str, Any]) -> None:
    kind = _KINDS[rule["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UsageError(f"{name}: must be a JSON {rule['type']}")
    if kind is int:
        low, high = rule.get("minimum", value), rule.get("maximum", value)
        if not low <= value <= high:
            between = f"{low} to {high}" if "maximum" in rule else f"at least {low}"
            raise UsageError(f"{name}: must be {between}")
    if isinstance(value, str):
        _check_text(name, value, rule)
    if isinstance(value, list):
        if len(value) > rule["maxItems"]:
            raise UsageError(f"{name}: may have {rule['maxItems']} entries")
        for one in value:
            _check(name, one, rule["items"])


def _check_text(name: str, value: str, rule: Mapping[str, Any]) -> None:
    if not value.isascii() and not _is_text(value):
        raise UsageError(f"{name}: holds half a character (a lone surrogate)")
    allowed = rule.get("enum")
    if allowed and value not in allowed:
        raise UsageError(f"{name}: must be one of {', '.join(allowed)}")
    longest = rule.get("maxLength", len(value))
    if len(value) > longest:
        raise UsageError(f"{name}: has {len(value)} characters, at most {longest} may be given")
    if len(value.strip()) < rule.get("minLength", 0):
        raise UsageError(f"{name}: is empty")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
