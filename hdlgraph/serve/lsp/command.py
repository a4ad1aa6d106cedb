"""The command `hdlgraph lsp`: a language server on stdin and stdout."""

from __future__ import annotations

import os
from importlib.util import find_spec

import typer

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli import options


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(lsp)


def lsp(index: options.Index = None) -> int:
    """Serve an editor over stdin and stdout: symbols by meaning, hover, definitions, references.

    Without --index, the index of the folder that the editor opened answers. docs/editor.md has
    what VS Code and Neovim need.
    """
    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: pip install 'hdlgraph[editor]'")
    from hdlgraph.serve.lsp.server import make_server

    # The server closes the streams that it is given: the process keeps its own.
    make_server(index).start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    return 0
