"""The language server: requests of an editor in, one call of Project each, answers out."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from hdlgraph import __version__
from hdlgraph.errors import HdlgraphError
from hdlgraph.project import Project
from hdlgraph.safety.printable import visible
from hdlgraph.serve.lsp.card import card

SYMBOLS = 20
"""Files that a search for symbols returns."""
FILTERING = "visual studio code"
"""An editor that shows only symbols whose name has the letters of what was typed."""
KINDS = {
    "module": lsp.SymbolKind.Module,
    "program": lsp.SymbolKind.Module,
    "checker": lsp.SymbolKind.Module,
    "primitive": lsp.SymbolKind.Module,
    "interface": lsp.SymbolKind.Interface,
    "class": lsp.SymbolKind.Class,
    "package": lsp.SymbolKind.Package,
    "file": lsp.SymbolKind.File,
    "macro": lsp.SymbolKind.Constant,
    "parameter": lsp.SymbolKind.TypeParameter,
    "type": lsp.SymbolKind.Struct,
    "function": lsp.SymbolKind.Function,
    "task": lsp.SymbolKind.Function,
    "port": lsp.SymbolKind.Field,
    "instance": lsp.SymbolKind.Object,
}


class Server(LanguageServer):
    """A language server over one index.

    Args:
        index: the index folder, or a repository that has one; None takes that of the folder that
            the editor opens.
    """

    def __init__(self, index: Path | None) -> None:
        # One worker listens; the other takes requests, one after the other.
        super().__init__("hdlgraph", __version__, max_workers=2)
        self.filters = False
        """Whether the editor shows only symbols whose name has the letters of what was typed."""
        self._index = index
        self._project: Project | None = None
        self._shown_once: set[str] = set()

    def project(self) -> Project:
        """Returns the project, opened at the first request.

        Raises:
            HdlgraphError: there is no index that can be read.
        """
        if self._project is None:
            root = Path(self.workspace.root_path) if self.workspace.root_path else None
            self._project = Project.open(self._index or root, start=root)
        return self._project

    def show_once(self, message: str) -> None:
        """Shows a message in the editor, each once."""
        if message not in self._shown_once:
            self._shown_once.add(message)
            params = lsp.ShowMessageParams(lsp.MessageType.Warning, f"hdlgraph: {message}")
            self.window_show_message(params)

    def path_of(self, uri: str) -> str:
        """Returns the path of a document relative to the repository, "" outside of it."""
        place = os.path.realpath(uris.to_fs_path(uri) or os.sep)
        inside = f"{self.project().root}{os.sep}"
        return Path(place.removeprefix(inside)).as_posix() if place.startswith(inside) else ""

    def asked(self, params: Any) -> tuple[str, int, int, str]:
        """Returns path, line from 1, column in characters, and the line's text of a request."""
        document = self.workspace.get_text_document(params.text_document.uri)
        spot = document.position_from_client_units(params.position)
        lines = document.lines
        text = lines[spot.line].rstrip("\r\n") if spot.line < len(lines) else ""
        return self.path_of(params.text_document.uri), spot.line + 1, spot.character, text

    def location(self, place: dict[str, Any]) -> lsp.Location:
        """Returns a place of an answer as the protocol has it."""
        uri = uris.from_fs_path(str(self.project().root / place["path"])) or ""
        return lsp.Location(uri, self.span(place))

    def span(self, place: dict[str, Any]) -> lsp.Range:
        """Returns the range of a name on its line, in the units that the editor counts in."""
        line, text = place["line"] - 1, place.get("text", "")
        count = self.workspace.position_codec.client_num_units
        ends = (place.get("column", 0), place.get("end_column", 0))
        return lsp.Range(*(lsp.Position(line, count(text[:end])) for end in ends))


def _answering(answer: Callable[[Server, Any], Any]) -> Callable[[Server, Any], Any]:
    """Returns a handler that answers nothing where the index cannot, and says why once."""

    @wraps(answer)
    def handler(server: Server, params: Any) -> Any:
        try:
            return answer(server, params)
        except HdlgraphError as error:
            server.show_once(str(error))
            return None

    return handler


@_answering
def symbols(server: Server, params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
    """Returns the files that answer a question best, each as its name and first good line."""
    if not any(char.isalnum() for char in params.query):
        return []
    found = []
    # Asked at every key: no model is.
    for hit in server.project().search(params.query, k=SYMBOLS, rerank=False).hits:
        name = hit.path.rpartition("/")[2]
        label = visible(f"{name} ({params.query})" if server.filters else name)
        place = server.location({"path": hit.path, "line": max(hit.line, 1)})
        found.append(
            lsp.SymbolInformation(
                location=place,
                name=label,
                kind=lsp.SymbolKind.File,
                container_name=visible(hit.summary),
            )
        )
    return found


@_answering
def hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """Returns the card of the name under the cursor."""
    path, line, column, text = server.asked(params)
    found = server.project().card(path, line, column, text) if path else None
    if found is None:
        return None
    shows = server.client_capabilities.text_document
    formats = (shows.hover.content_format if shows and shows.hover else None) or ()
    kind = lsp.MarkupKind.Markdown if lsp.MarkupKind.Markdown in formats else None
    content = lsp.MarkupContent(kind or lsp.MarkupKind.PlainText, card(found, kind is not None))
    word = {"line": line, "column": found["start"], "end_column": found["end"], "text": text}
    return lsp.Hover(content, server.span(word))


@_answering
def definition(server: Server, params: lsp.DefinitionParams) -> list[lsp.Location]:
    """Returns where the name under the cursor is defined."""
    path, line, column, text = server.asked(params)
    found = server.project().definition(path, line, column, text) if path else []
    return [server.location(place) for place in found]


@_answering
def references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Returns where the name under the cursor is used."""
    path, line, column, text = server.asked(params)
    own = params.context.include_declaration
    found = server.project().references(path, line, column, text, own) if path else []
    return [server.location(place) for place in found]


@_answering
def outline(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """Returns what a document declares, as a tree."""
    path = server.path_of(params.text_document.uri)
    return [_symbol(server, one) for one in server.project().symbols(path)] if path else []


def _symbol(server: Server, one: dict[str, Any]) -> lsp.DocumentSymbol:
    name = server.span(one)
    children = [_symbol(server, child) for child in one["children"]]
    ends = [max(one["end_line"] - 1, name.end.line), *(child.range.end.line for child in children)]
    whole = lsp.Range(lsp.Position(name.start.line, 0), lsp.Position(max(ends) + 1, 0))
    kind = KINDS.get(one["kind"], lsp.SymbolKind.Variable)
    label = one["name"].rpartition(".")[2] or one["name"]
    return lsp.DocumentSymbol(
        name=visible(label),
        kind=kind,
        range=whole,
        selection_range=name,
        detail=one["kind"],
        children=children,
    )


def begin(server: Server, params: lsp.InitializeParams) -> None:
    """Takes down which editor it is."""
    name = params.client_info.name if params.client_info else ""
    server.filters = FILTERING in name.lower()


def make_server(index: Path | None) -> Server:
    """Returns the server; `start_io` on it serves stdin and stdout to their end."""
    server = Server(index)
    server.feature(lsp.INITIALIZE)(begin)
    for method, handler in (
        (lsp.WORKSPACE_SYMBOL, symbols),
        (lsp.TEXT_DOCUMENT_HOVER, hover),
        (lsp.TEXT_DOCUMENT_DEFINITION, definition),
        (lsp.TEXT_DOCUMENT_REFERENCES, references),
        (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, outline),
    ):
        server.feature(method)(server.thread()(handler))
    return server
