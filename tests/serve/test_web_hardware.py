"""The page's views of signals, state machines and registers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from _web import served
from starlette.testclient import TestClient

from hdlgraph.project import Project

DESIGNS = Path(__file__).parents[1] / "designs"
PLACE = re.compile(r'href="/file/([^"?#]+)[^"]*#L(\d+)"')


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    root = tmp_path_factory.mktemp("described") / "soc"
    shutil.copytree(DESIGNS / "registers", root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    with served(root) as page:
        yield page


def test_a_trace_leads_to_the_lines_and_to_further_nets(page: TestClient) -> None:
    html = page.get("/trace?name=uart_rx.state_q").text
    assert "Driven by" in html
    assert "Goes into" in html
    text = (DESIGNS / "soc" / "rtl" / "uart_rx.sv").read_text().split("\n")
    lines = {int(line) for path, line in PLACE.findall(html) if path == "rtl/uart_rx.sv"}
    assert lines
    assert all("state_q" in text[line - 1] for line in lines)
    further = page.get("/trace?name=uart_rx.rx_i&direction=drivers").text
    assert 'href="/trace?name=' in further
    assert "Goes into" not in further


def test_a_state_machine_has_its_states_and_transitions(page: TestClient) -> None:
    html = page.get("/machines?unit=uart_rx").text
    assert "reset to RX_IDLE" in html
    row = re.search(r"<tr><td[^>]*>RX_IDLE</td><td[^>]*>RX_DATA</td>.*?</tr>", html, re.S)
    assert row
    assert "rx_i" in row[0]
    assert "No state machine" in page.get("/machines?unit=soc_top").text
    assert '<input name="unit"' in page.get("/machines").text


def test_registers_have_fields_with_their_rtl(described: TestClient) -> None:
    listed = described.get("/registers").text
    blocks = re.findall(r'href="/registers\?name=([^"]+)"', listed)
    assert blocks
    html = described.get(f"/registers?name={blocks[0]}").text
    assert '<th scope="col">Reset</th>' in html
    assert PLACE.search(html)
    assert described.get("/registers?name=nosuch").status_code == 404
    assert described.get("/trace?name=nosuch").status_code == 404


def test_without_registers_the_view_says_so(page: TestClient) -> None:
    assert "describes no registers" in page.get("/registers").text


def test_the_card_leads_there(page: TestClient) -> None:
    html = page.get("/show?name=uart_rx").text
    assert 'href="/machines?unit=module' in html
    assert 'href="/trace?name=uart_rx.rx_i"' in html
