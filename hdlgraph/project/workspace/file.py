"""Reads a workspace file: which indexes are searched together, each by a short name.

    repositories:
      soc: ../soc                  # an index folder, a repository that has one, or an address
      ibex:
        index: /builds/ibex-index
        label: the CPU             # what people call it

The file is the user's own and is read only where a command names it; none is looked for. A path is
taken as `--index` takes one, from the folder of the file.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import yaml

from hdlgraph.errors import SettingsError, UsageError
from hdlgraph.project.shared.naming import is_address, whole_name
from hdlgraph.safety.printable import visible
from hdlgraph.safety.safe_files import read_regular
from hdlgraph.settings.nodes import BYTES, compose, values_of

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
"""What a repository may be called: what stands before the first colon of a place."""
MOST = 64
"""Repositories of one workspace."""
LABEL = 80
"""Characters of a label."""
SECTION = "repositories"
KEYS = ("index", "label")


class Entry(msgspec.Struct, frozen=True):
    """One repository as the file has it; `line` is where."""

    name: str
    index: Path
    label: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """Returns the index as its user reads it."""
        return whole_name(self.index) if is_address(self.index) else str(self.index)


def read_workspace(path: Path) -> tuple[Entry, ...]:
    """Returns the repositories of a workspace file, in its order.

    Raises:
        SettingsError: it cannot be read, or is no workspace; the message names the line.
    """
    try:
        text = read_regular(path, BYTES).decode("utf-8")
    except FileNotFoundError as error:
        raise SettingsError(
            f"workspace {path}: no such file; write one with `{SECTION}:` and NAME: INDEX below it"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"workspace {path}: cannot be read as UTF-8 text: {error}") from error
    top = _pairs(compose(text.replace("\r\n", "\n"), path), path, "a workspace file")
    for name, (key, _) in top.items():
        if name != SECTION:
            raise _wrong(f"unknown key {visible(name)!r}; there is `{SECTION}`", key, path)
    if SECTION not in top:
        raise SettingsError(f"workspace {path}: has no `{SECTION}:`; list NAME: INDEX below it")
    found = _pairs(top[SECTION][1], path, f"`{SECTION}`")
    if not 0 < len(found) <= MOST:
        raise SettingsError(
            f"workspace {path}: names {len(found)} repositories; 1 to {MOST} may be"
        )
    base = path.resolve().parent
    return tuple(_entry(name, *nodes, base, path) for name, nodes in found.items())


def _entry(name: str, key: yaml.Node, value: yaml.Node, base: Path, path: Path) -> Entry:
    """Returns a repository of the file (an error names the key, the line and the remedy)."""
    if not NAME.fullmatch(name):
        message = f"{visible(name)!r} is no name; use letters, digits, `.`, `_` and `-`"
        raise _wrong(message, key, path)
    if isinstance(value, yaml.ScalarNode):
        index, label = _text(value, path), ""
    else:
        pairs = _pairs(value, path, f"`{name}`")
        for one, (node, _) in pairs.items():
            if one not in KEYS:
                raise _wrong(f"unknown key {visible(one)!r}; there are index, label", node, path)
        if "index" not in pairs:
            raise _wrong(f"`{name}` names no index; write `index: FOLDER`", key, path)
        index = _text(pairs["index"][1], path)
        label = _text(pairs["label"][1], path) if "label" in pairs else ""
    if "\0" in index or len(label) > LABEL:
        raise _wrong(f"`{name}`: no such folder, or a label of over {LABEL} characters", key, path)
    place = base / Path(index).expanduser()
    if is_address(index):
        place = Path(index)
        try:
            whole_name(index)
        except UsageError as error:
            raise _wrong(f"`{name}`: {error}", key, path) from error
    return Entry(name, place, label, key.start_mark.line + 1)


def _text(node: yaml.Node, path: Path) -> str:
    """Returns the text of a value (SettingsError where it is none)."""
    value: Any = None
    with suppress(yaml.YAMLError, ValueError):
        value = values_of(node)
    if not isinstance(value, str) or not value.strip():
        raise _wrong("write a text here, in quotes where it looks like something else", node, path)
    return value.strip()


def _pairs(node: yaml.Node | None, path: Path, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    """Returns key -> (its node, its value) of a mapping."""
    if not isinstance(node, yaml.MappingNode):
        place = f":{node.start_mark.line + 1}" if node is not None else ""
        raise SettingsError(f"{what} must hold `key: value` lines ({path}{place})")
    found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
    for key, value in node.value:
        name = key.value if isinstance(key.value, str) else ""
        if name in found:
            raise _wrong(f"{what} has {visible(name)!r} twice; keep one", key, path)
        found[name] = (key, value)
    return found


def _wrong(message: str, node: yaml.Node, path: Path) -> SettingsError:
    return SettingsError(f"{message} ({path}:{node.start_mark.line + 1})")
