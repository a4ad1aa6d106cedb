"""The language server, asked by a real client over stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.lsp.card import card

pytest.importorskip("pygls", reason="the extra `editor` is not installed")
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
LIMIT_S = 60
Ask = Callable[["Editor"], Awaitable[T]]


class Editor(LanguageClient):
    """A client that opens documents and finds places in them by their text."""

    def __init__(self, root: Path) -> None:
        super().__init__("editor", "1")
        self.root = root
        self.messages: list[str] = []
        self.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params.message))

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def at(self, path: str, line: str, word: str) -> dict[str, Any]:
        """Opens a document; returns the place of a word in the first line that holds a text."""
        text = (self.root / path).read_text()
        item = lsp.TextDocumentItem(self.uri(path), "systemverilog", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        number, found = next((n, one) for n, one in enumerate(text.split("\n")) if line in one)
        column = found.index(line) + line.index(word)
        column = len(found[:column].encode("utf-16-le")) // 2
        document = lsp.TextDocumentIdentifier(self.uri(path))
        return {"text_document": document, "position": lsp.Position(number, column)}

    async def definition(self, *where: str) -> list[tuple[str, int]]:
        found = await self.text_document_definition_async(lsp.DefinitionParams(**self.at(*where)))
        return self.places(found)

    async def references(self, *where: str, own: bool = False) -> list[tuple[str, int]]:
        given = lsp.ReferenceParams(lsp.ReferenceContext(own), **self.at(*where))
        return self.places(await self.text_document_references_async(given))

    async def hover(self, *where: str) -> lsp.Hover | None:
        return await self.text_document_hover_async(lsp.HoverParams(**self.at(*where)))

    def places(self, found: Any) -> list[tuple[str, int]]:
        base = f"{self.root.as_uri()}/"
        return [(one.uri.removeprefix(base), one.range.start.line + 1) for one in found or ()]


def talk(root: Path, ask: Ask[T], *arguments: str, name: str = "test") -> T:
    """Starts a server, does what `ask` says with a client, and ends both in order."""

    async def talking() -> T:
        editor = await begin(root, *arguments, name=name)
        try:
            return await ask(editor)
        finally:
            await end(editor)

    return asyncio.run(asyncio.wait_for(talking(), LIMIT_S))


async def begin(root: Path, *arguments: str, name: str = "test") -> Editor:
    """Returns a client of a server that it has started."""
    editor = Editor(root)
    module = ("-m", "hdlgraph.serve.cli.main", "lsp", *arguments)
    await editor.start_io(sys.executable, *module)
    formats = [lsp.MarkupKind.Markdown, lsp.MarkupKind.PlainText]
    able = lsp.TextDocumentClientCapabilities(
        hover=lsp.HoverClientCapabilities(content_format=formats)
    )
    given = lsp.InitializeParams(
        lsp.ClientCapabilities(text_document=able),
        root_uri=root.as_uri(),
        client_info=lsp.ClientInfo(name),
    )
    begun = await editor.initialize_async(given)
    assert begun.capabilities.hover_provider
    editor.initialized(lsp.InitializedParams())
    return editor


async def end(editor: Editor) -> None:
    await editor.shutdown_async(None)
    editor.exit(None)
    await editor.stop()


@pytest.fixture(scope="module")
def told(soc_words: Path) -> Iterator[Callable[[Ask[Any]], Any]]:
    """Does what is asked with a client of one server of the little system, which stays as it is."""
    with asyncio.Runner() as runner:
        editor = runner.run(asyncio.wait_for(begin(soc_words), LIMIT_S))
        yield lambda ask: runner.run(asyncio.wait_for(ask(editor), LIMIT_S))
        runner.run(asyncio.wait_for(end(editor), LIMIT_S))


def test_definitions_and_references_across_generate_blocks_and_binds(
    told: Callable[[Ask[Any]], Any],
) -> None:
    async def ask(editor: Editor) -> None:
        inside = ("rtl/uart.sv", "uart_rx u_rx")
        assert await editor.definition(*inside, "uart_rx") == [("rtl/uart_rx.sv", 2)]
        assert await editor.definition(*inside, "u_rx") == [("rtl/uart.sv", 46)]
        assert await editor.references("rtl/uart_rx.sv", "module uart_rx", "uart_rx") == [
            ("rtl/uart.sv", 46)
        ]
        bound = ("dv/fifo_checks.sv", "bind sync_fifo fifo_checks")
        assert await editor.definition(*bound, "sync_fifo") == [("rtl/sync_fifo.sv", 2)]
        assert await editor.definition(*bound, "fifo_checks") == [("dv/fifo_checks.sv", 2)]
        checks = ("dv/fifo_checks.sv", "module fifo_checks", "fifo_checks")
        assert await editor.references(*checks) == [("dv/fifo_checks.sv", 12)]
        assert await editor.references(*checks, own=True) == [
            ("dv/fifo_checks.sv", 2),
            ("dv/fifo_checks.sv", 12),
        ]

    told(ask)


NESTED = """
module leaf (input logic clk_i, output logic [7:0] cnt_o);
endmodule
module leaf_checks (input logic clk_i);
endmodule
bind leaf leaf_checks u_checks (.clk_i);
module top (input logic clk_i);
  for (genvar r = 0; r < 2; r++) begin : g_row
    for (genvar c = 0; c < 2; c++) begin : g_column
      leaf u_leaf (.clk_i, .cnt_o());
    end
  end
  wire [7:0] first = g_row[0].g_column[1].u_leaf.cnt_o;
endmodule
module bench;
  wire clk_i;
  top dut (.clk_i(1'b0));
  wire [7:0] seen = dut.g_row[0].g_column[1].u_leaf.cnt_o;
endmodule
"""


def test_names_through_nested_generate_blocks_and_the_bound_unit(tmp_path: Path) -> None:
    (tmp_path / "all.sv").write_text(NESTED)
    Project(tmp_path).index(embeddings=False, graphrag="never")

    async def ask(editor: Editor) -> None:
        for line in ("wire [7:0] first", "wire [7:0] seen"):
            whole = next(one for one in NESTED.split("\n") if line in one)
            at = ("all.sv", whole.strip())
            assert await editor.definition(*at, "cnt_o") == [("all.sv", 2)]
            assert await editor.definition(*at, "u_leaf") == [("all.sv", 10)]
        used = await editor.references("all.sv", "module leaf (", "leaf")
        assert used == [("all.sv", 6), ("all.sv", 10)]
        clock = ("all.sv", "module top (input logic clk_i", "clk_i")
        assert await editor.references(*clock) == [("all.sv", 10), ("all.sv", 17)]
        assert await editor.references("all.sv", "wire clk_i", "clk_i") == []

    talk(tmp_path, ask)


def test_it_ends_in_silence(indexed_soc: Path) -> None:
    told = b""
    for message in ({"id": 1, "method": "initialize", "params": {"capabilities": {}}},
                    {"id": 2, "method": "shutdown"}, {"method": "exit"}):  # fmt: skip
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        told += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    command = [sys.executable, "-m", "hdlgraph.serve.cli.main", "lsp", "--index", str(indexed_soc)]
    done = subprocess.run(command, input=told, capture_output=True, timeout=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ports_types_macros_and_included_files(told: Callable[[Ask[Any]], Any]) -> None:
    async def ask(editor: Editor) -> None:
        assert await editor.definition("rtl/soc_top.sv", ".rx_i", "rx_i") == [("rtl/uart.sv", 8)]
        assert await editor.definition("rtl/bus_if.sv", "bus_req_t    req", "bus_req_t") == [
            ("rtl/soc_pkg.sv", 18)
        ]
        tx = "rtl/uart_tx.sv"
        assert await editor.definition(tx, "`include", "include") == [("include/soc_defs.svh", 1)]
        assert await editor.definition(tx, "`SOC_ASSERT", "SOC_ASSERT") == [
            ("include/soc_defs.svh", 6)
        ]
        used = await editor.references("rtl/uart_rx.sv", "rx_i", "rx_i")
        assert used[0] == ("rtl/uart.sv", 49)  # where it is connected, in a generate block
        assert {path for path, _ in used[1:]} == {"rtl/uart_rx.sv"}
        assert await editor.definition("rtl/timer.v", "endmodule", "endmodule") == []

    told(ask)


def test_hover_shows_the_card(told: Callable[[Ask[Any]], Any]) -> None:
    async def ask(editor: Editor) -> None:
        found = await editor.hover("rtl/uart.sv", "uart_rx u_rx", "uart_rx")
        assert found
        shown = found.contents
        assert isinstance(shown, lsp.MarkupContent)
        assert shown.kind == lsp.MarkupKind.Markdown
        assert "**module** `uart_rx`" in shown.value
        assert "`rx_i: input logic`" in shown.value
        assert "used by (1):\n- `uart` rtl/uart.sv:46" in shown.value
        assert found.range == lsp.Range(lsp.Position(45, 4), lsp.Position(45, 11))
        assert await editor.hover("rtl/uart.sv", "endmodule", "endmodule") is None

    told(ask)


def test_symbols_by_meaning_and_of_a_document(indexed_soc: Path) -> None:
    async def ask(editor: Editor) -> None:
        query = lsp.WorkspaceSymbolParams("which block counts down and raises an interrupt?")
        found = await editor.workspace_symbol_async(query)
        assert found
        assert (found[0].name, editor.places([found[0].location])[0][0]) == (
            f"timer.v ({query.query})",
            "rtl/timer.v",
        )
        assert await editor.workspace_symbol_async(lsp.WorkspaceSymbolParams("")) == []
        document = lsp.TextDocumentIdentifier(editor.uri("rtl/uart.sv"))
        tree = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        assert tree
        (unit,) = tree
        assert isinstance(unit, lsp.DocumentSymbol)
        assert unit.name == "uart"
        assert [one.name for one in unit.children or () if one.detail == "instance"] == [
            "u_tx_queue",
            "u_tx",
            "u_rx",
        ]
        for one in (unit, *(unit.children or ())):
            assert one.range.start <= one.selection_range.start
            assert one.selection_range.end <= one.range.end

    talk(indexed_soc, ask, name="Visual Studio Code - Insiders")


def test_names_and_texts_steer_no_editor(tmp_path: Path) -> None:
    (tmp_path / "odd.sv").write_text(
        "// Counts \u202egnp.exe\u202c parcels that a \x1b[31m courier brings in the evening.\n"
        "module odd(input clk);\nendmodule\n"
    )
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)

    async def ask(editor: Editor) -> None:
        query = lsp.WorkspaceSymbolParams("what counts parcels of the courier")
        found = await editor.workspace_symbol_async(query)
        assert found
        assert "parcels" in (found[0].container_name or "")
        assert all((one.container_name or "").isprintable() for one in found)

    talk(tmp_path, ask)


def test_columns_are_counted_as_the_editor_counts_them(indexed_soc: Path) -> None:
    file = indexed_soc / "rtl" / "uart.sv"
    file.write_text(file.read_text().replace("    uart_rx u_rx", "/*\U0001f600é*/ uart_rx u_rx"))

    async def ask(editor: Editor) -> None:
        found = await editor.hover("rtl/uart.sv", "uart_rx u_rx", "uart_rx")
        assert found
        assert found.range == lsp.Range(lsp.Position(45, 8), lsp.Position(45, 15))

    talk(indexed_soc, ask)


def test_a_new_generation_is_taken_and_other_files_are_not_answered(
    indexed_soc: Path, tmp_path: Path
) -> None:
    shutil.copy(indexed_soc / "rtl" / "uart.sv", tmp_path / "uart.sv")

    async def ask(editor: Editor) -> None:
        outside = await editor.definition("../uart.sv", "uart_rx u_rx", "uart_rx")
        assert outside == []
        file = indexed_soc / "rtl" / "uart_rx.sv"
        file.write_text("// moved down\n\n" + file.read_text())
        await asyncio.to_thread(
            Project(indexed_soc).index, embeddings=False, graphrag="never", jobs=1
        )
        assert await editor.definition("rtl/uart.sv", "uart_rx u_rx", "uart_rx") == [
            ("rtl/uart_rx.sv", 4)
        ]

    talk(indexed_soc, ask)


def test_without_an_index_it_says_so_once(soc: Path) -> None:
    async def ask(editor: Editor) -> list[str]:
        for _ in range(2):
            assert await editor.definition("rtl/uart.sv", "uart_rx u_rx", "uart_rx") == []
        return editor.messages

    (message,) = talk(soc, ask)
    assert "hdlgraph index" in message


def test_text_of_a_repository_is_text_in_a_card() -> None:
    found = {
        "kind": "module",
        "name": "a`b",
        "location": "x.sv:1",
        "detail": "",
        "doc": "![i](http://example.com/i.png) <img src=x> [a](command:b) \u202e",
    }
    shown = card(found, markdown=True)
    assert "\\!\\[i\\](http" in shown
    assert "://" not in shown
    assert "\\<img" in shown
    assert "\u202e" not in shown
    assert "`a'b`" in shown
    assert "http://example.com" in card(found, markdown=False)


def test_the_snippets_of_the_page_start_this_command() -> None:
    page = (Path(__file__).parents[2] / "docs" / "editor.md").read_text()
    assert len(re.findall(r'"hdlgraph",? (?:args: \[)?"lsp"', page)) == 2
    (manifest,) = re.findall(r"```json\n(.*?)```", page, re.S)
    languages = [one["id"] for one in json.loads(manifest)["contributes"]["languages"]]
    for language in languages:
        assert f'{{ language: "{language}" }}' in page
        assert f"onLanguage:{language}" in manifest
