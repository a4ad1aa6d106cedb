"""Reads the `hdlgraph:` section of a settings.yaml; every mistake is reported with its line.

The values are checked node by node, as only the nodes of the YAML tree know their lines. msgspec's
`convert` could check the type of a value, six lines less, but it also takes a set for a list, and
names, choices, bounds and what a repository may set would stay here all the same.
"""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from hdlgraph.errors import SettingsError
from hdlgraph.safety.safe_files import read_inside, read_regular
from hdlgraph.settings.confine import capped, refusal
from hdlgraph.settings.nodes import BYTES, compose, values_of
from hdlgraph.settings.render import SECTION

T = TypeVar("T")

GRAPHRAG_SECTIONS = frozenset(
    """completion_models embedding_models concurrent_requests async_mode input input_storage
        chunking output_storage update_output_storage table_provider cache reporting
        vector_store workflows embed_text extract_graph summarize_descriptions
        extract_graph_nlp prune_graph cluster_graph extract_claims community_reports
        snapshots local_search global_search drift_search basic_search""".split()
)
"""Sections that belong to GraphRAG 3.3; a test compares them with its own model."""

RENAMED = {"hdlgraph.ask.rewrite": "reword", "hdlgraph.embedding.late": "token_vectors"}
"""Settings that had another name in the version before -> their name of today."""


def read_settings(path: Path, record: type[T], *, found: bool = False) -> T:
    """Returns the `hdlgraph:` section of a YAML file as a record; see `Settings.load`.

    Raises:
        SettingsError: See `Settings.load`.
    """
    root = compose(_read(path, found), path)
    if root is None:
        return record()
    top = _pairs(root, path, "the file")
    known = [SECTION, *sorted(GRAPHRAG_SECTIONS)]
    section = None
    for key, (key_node, value) in top.items():
        if key == SECTION:
            section = value
        elif key not in GRAPHRAG_SECTIONS:
            raise _unknown(key, known, "", key_node, path)
    if section is None or _is_null(section):
        return record()
    return _build(record, section, path, SECTION, found)


def from_dict(record: type[T], values: Mapping[str, Any]) -> T:
    """Returns the record whose `dataclasses.asdict` went through JSON."""
    hints = typing.get_type_hints(record)
    found = {}
    for name, value in values.items():
        if dataclasses.is_dataclass(hints[name]):
            found[name] = from_dict(hints[name], value)
        else:
            found[name] = tuple(value) if isinstance(value, list) else value
    return record(**found)


def _read(path: Path, found: bool) -> str:
    try:
        if found:
            data = read_inside(path.parent.resolve(), path.name, BYTES)
        else:
            data = read_regular(path, BYTES)
        return data.decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: no such settings file; `hdlgraph init` writes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as UTF-8 text: {error}") from error


def _place(node: yaml.Node, path: Path) -> str:
    return f"{path}:{node.start_mark.line + 1}"


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _pairs(node: yaml.Node, path: Path, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f"{what} must hold `key: value` lines ({_place(node, path)})")
    found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in found:
            raise SettingsError(f"{what} has `{name}` twice; keep one ({_place(key, path)})")
        found[name] = (key, value)
    return found


def _unknown(
    key: str, known: Iterable[str], prefix: str, node: yaml.Node, path: Path
) -> SettingsError:
    names = list(known)
    close = difflib.get_close_matches(key, names, n=1, cutoff=0.6)
    if renamed := RENAMED.get(f"{prefix}{key}"):
        hint = f"it is called `{renamed}` now"
    else:
        hint = f"did you mean `{close[0]}`?" if close else "known here: " + ", ".join(names)
    return SettingsError(f"unknown setting `{prefix}{key}`; {hint} ({_place(node, path)})")


def _build(record: type[T], node: yaml.Node, path: Path, name: str, found: bool) -> T:
    fields = {f.name: f for f in dataclasses.fields(record)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(record)
    values: dict[str, Any] = {}
    if _is_null(node):
        return record()
    for key, (key_node, value) in _pairs(node, path, f"`{name}`").items():
        if key not in fields:
            raise _unknown(key, fields, f"{name}.", key_node, path)
        hint = hints[key]
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            values[key] = _build(hint, value, path, f"{name}.{key}", found)
        else:
            values[key] = _value(fields[key], hint, value, path, f"{name}.{key}")
            if found:
                values[key] = _confined(fields[key], values[key], value, path, f"{name}.{key}")
    return record(**values)


def _value(field: Any, hint: Any, node: yaml.Node, path: Path, name: str) -> Any:
    value = _expand(_construct(node, path), node, path, name)
    if isinstance(hint, types.UnionType):  # `T | None`, the only union that settings use
        if value is None:
            return None
        hint = next(one for one in typing.get_args(hint) if one is not type(None))
    value = _typed(value, hint)
    meta = field.metadata
    if value is None:
        raise SettingsError(f"`{name}` must be {_wanted(hint)} ({_place(node, path)})")
    if meta.get("choices") and value not in meta["choices"]:
        choices = ", ".join(meta["choices"])
        raise SettingsError(
            f"`{name}` is `{value}` but must be one of {choices} ({_place(node, path)})"
        )
    for bound, sign in (("minimum", "at least"), ("maximum", "at most")):
        limit = meta.get(bound)
        if limit is not None and (value < limit if bound == "minimum" else value > limit):
            raise SettingsError(
                f"`{name}` is {value} but must be {sign} {limit} ({_place(node, path)})"
            )
    return value


def _confined(field: Any, value: Any, node: yaml.Node, path: Path, name: str) -> Any:
    """Returns the value as a repository may set it."""
    why = refusal(field, value)
    if why:
        raise SettingsError(
            f"`{name}` {why} ({_place(node, path)}); if you trust it, run again with "
            f"--settings {path} (or set HDLGRAPH_SETTINGS)"
        )
    return capped(field, value)


def _construct(node: yaml.Node, path: Path) -> Any:
    try:
        return values_of(node)
    except (yaml.YAMLError, ValueError) as error:
        problem = getattr(error, "problem", None) or error
        raise SettingsError(f"{problem} ({_place(node, path)})") from error


def _expand(value: Any, node: yaml.Node, path: Path, name: str) -> Any:
    """Returns the value with `$$` read as a dollar sign.

    Variables are refused here: a settings.yaml inside a foreign repository must not be able to
    carry a key of the environment to an address of its choice.
    """
    if isinstance(value, list):
        return [_expand(item, node, path, name) for item in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    if "$" in value.replace("$$", ""):
        raise SettingsError(
            f"`{name}` takes no environment variables; write $$ for a dollar sign "
            f"({_place(node, path)})"
        )
    return value.replace("$$", "$")


def _typed(value: Any, hint: Any) -> Any:
    """Returns the value as the type of the field, or None when it is not one."""
    if typing.get_origin(hint) is tuple:
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return tuple(items)
        return None
    if isinstance(value, bool) != (hint is bool):
        return None
    if hint is float and isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None  # no number is that, nor is .nan
    return value if isinstance(value, hint) else None


def _wanted(hint: Any) -> str:
    if typing.get_origin(hint) is tuple:
        return "a list of texts"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return names.get(hint, "another type")
