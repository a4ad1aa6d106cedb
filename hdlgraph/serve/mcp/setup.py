"""Shows the configuration with which clients start the server, or adds it to their file."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.serve.mcp.repositories import repositories_of

LARGEST = 4_000_000
"""Bytes of the largest configuration that is read."""
NAME = "hdlgraph"
HOME = "~"


class Client(NamedTuple):
    """A program that starts servers: where its configuration is, and under which key.

    `file` begins with ~ where it is the user's, for all of his repositories; else it lies in the
    repository. `folder` is how it writes the repository's folder there, "" where servers start in
    it. `extra` are further keys of an entry.
    """

    name: str
    file: str
    key: str
    folder: str = ""
    extra: tuple[tuple[str, str], ...] = ()

    @property
    def is_users(self) -> bool:
        """Returns whether the configuration is the user's, for all repositories."""
        return self.file.startswith(HOME)


def _desktop() -> str:
    """Returns where Claude Desktop has its configuration on this system."""
    if sys.platform == "darwin":
        return "~/Library/Application Support/Claude/claude_desktop_config.json"
    return "~/.config/Claude/claude_desktop_config.json"


CLIENTS = (
    Client("claude-code", ".mcp.json", "mcpServers"),
    Client("claude-desktop", _desktop(), "mcpServers"),
    Client("cursor", ".cursor/mcp.json", "mcpServers", "${workspaceFolder}"),
    Client("vscode", ".vscode/mcp.json", "servers", "${workspaceFolder}", (("type", "stdio"),)),
    Client("codex", "~/.codex/config.toml", "mcp_servers"),
    Client("gemini", ".gemini/settings.json", "mcpServers"),
)


def chosen(names: Sequence[str]) -> list[Client]:
    """Returns the clients of these names, all of them for none.

    Raises:
        UsageError: a name is unknown.
    """
    known = {client.name: client for client in CLIENTS}
    for name in names:
        if name not in known:
            raise UsageError(f"--client {name}: unknown; known are {', '.join(known)}")
    return [known[name] for name in names] if names else list(CLIENTS)


def arguments_of(repositories: Sequence[str], indexes: Sequence[Path]) -> list[str]:
    """Returns the arguments for `hdlgraph mcp`, with whole paths, as another folder may start it.

    Args:
        repositories: texts of the form NAME=INDEX.
        indexes: index folders, or repositories that have one.

    Raises:
        UsageError: a name is no name, or is given twice.
    """
    from hdlgraph.project.shared.naming import whole_name

    repositories_of(repositories, indexes)
    named = [text.partition("=") for text in repositories]
    found = [f"{name}={whole_name(index)}" for name, _, index in named]
    for index in indexes:
        found += ["--index", whole_name(index)]
    return found


def configuration(client: Client, arguments: Sequence[str]) -> dict[str, str]:
    """Returns the file of a client's configuration and what has to stand in it."""
    entry = _entry(client, arguments, Path.cwd())
    if client.file.endswith(".toml"):
        return {"client": client.name, "file": client.file, "text": _toml(client, entry)}
    text = json.dumps({client.key: {NAME: entry}}, indent=2)
    return {"client": client.name, "file": client.file, "text": text}


def written(client: Client, arguments: Sequence[str], repository: Path) -> dict[str, str]:
    """Writes the entry into a client's configuration; the rest of it stays as it is.

    Returns:
        The client, its file, and in `did` what was done: wrote, updated or kept.

    Raises:
        UsageError: the file cannot be read as what it should be, or is a link.
    """
    file = Path(client.file).expanduser() if client.is_users else repository / client.file
    entry = _entry(client, arguments, repository)
    former = _former(client, file)
    try:
        if client.file.endswith(".toml"):
            new, did = _with_toml(client, entry, former)
        else:
            new, did = _with_json(client, entry, former)
    except (ValueError, RecursionError) as error:
        text = configuration(client, arguments)["text"]
        raise UsageError(f"{file}: left as it is ({error}); add this by hand: {text}") from error
    if did != "kept":
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(file, new.encode())
        except OSError as error:
            raise UsageError(f"{file}: cannot be written ({error.strerror or error})") from error
    return {"client": client.name, "file": str(file), "did": did}


def _former(client: Client, file: Path) -> str:
    """Returns what a configuration holds now, "" where there is none."""
    # A repository of a stranger may lead what is written into it elsewhere.
    if not client.is_users and (file.parent.is_symlink() or file.is_symlink()):
        raise UsageError(f"{file}: is a link, or in a folder that is one; it is not written to")
    try:
        return read_regular(file, LARGEST, follow=client.is_users).decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: left as it is ({error})") from error


def _entry(client: Client, arguments: Sequence[str], repository: Path) -> dict[str, Any]:
    """Returns how a client starts the server."""
    command = str(Path(sys.argv[0]).absolute())
    if not client.is_users and shutil.which(NAME):
        command = NAME  # the file may be shared with people who have it elsewhere
    given = list(arguments)
    if not given and client.is_users:
        given = ["--index", str(repository.resolve())]
    elif not given and client.folder:
        given = ["--index", client.folder]
    return {**dict(client.extra), "command": command, "args": ["mcp", *given]}


def _with_json(client: Client, entry: dict[str, Any], former: str) -> tuple[str, str]:
    """Returns a JSON configuration with our entry, and what that did."""
    whole = json.loads(former) if former.strip() else {}
    servers = whole.setdefault(client.key, {}) if isinstance(whole, dict) else None
    if not isinstance(servers, dict):
        raise ValueError(f"`{client.key}` is no object there")
    if servers.get(NAME) == entry:
        return former, "kept"
    did = "updated" if NAME in servers else "wrote"
    servers[NAME] = entry
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n", did


def _with_toml(client: Client, entry: dict[str, Any], former: str) -> tuple[str, str]:
    """Returns a TOML configuration with our entry at its end, and what that did."""
    servers = tomllib.loads(former).get(client.key, {})
    if isinstance(servers, dict) and NAME in servers:
        if servers[NAME] == entry:
            return former, "kept"
        raise ValueError("it has another entry of this name")
    head = f"{former.rstrip()}{os.linesep * 2}" if former.strip() else ""
    new = f"{head}{_toml(client, entry)}\n"
    tomllib.loads(new)
    return new, "wrote"


def _toml(client: Client, entry: dict[str, Any]) -> str:
    # A JSON string of plain characters is a TOML string too.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{client.key}.{NAME}]", *lines])
