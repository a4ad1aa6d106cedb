"""The page in a real browser: keys, colours, lazy parts, accessibility, no word of a violation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _browser import NARROW, WIDE, axe, browser, missing, running, until, violations
from _web import TOKEN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is here"),
]
VIEWS = (
    "/",
    "/search?q=where+are+received+bits+sampled",
    "/file/rtl/uart_rx.sv#L3-L5",
    "/show?name=uart",
    "/tree?unit=soc_top",
    "/graph?name=soc_top",
    "/picture?unit=soc_top",
    "/path?source=soc_top&target=uart_rx",
    "/trace?name=uart_rx.state_q",
    "/machines?unit=uart_rx",
    "/registers",
    "/clocks?unit=soc_top",
    "/crossings?unit=soc_top",
    "/unused",
    "/testbench?name=uart",
    "/who?name=uart",
    "/impact?name=uart",
    "/reach",
    "/threads",
    "/feedback",
    "/status",
    "/help",
    "/licences",
    "/nothing",
)


@pytest.fixture(scope="module")
def site(soc_words: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HDLGRAPH_DATA", str(tmp_path_factory.mktemp("data")))
        with running(soc_words) as address:
            yield address


@pytest.fixture(scope="module")
def tab() -> Iterator[Any]:
    with browser() as driver:
        yield driver


@pytest.fixture
def quiet(tab: Any) -> Iterator[Any]:
    """A tab whose pages must log no error and no violation of their policy."""
    tab.get_log("browser")
    yield tab
    said = [one["message"] for one in tab.get_log("browser") if one["level"] != "INFO"]
    assert [one for one in said if "/nothing" not in one] == []


@pytest.mark.skipif(not axe(), reason="axe-core is not installed: see Makefile, AXE")
@pytest.mark.parametrize("view", VIEWS)
def test_no_serious_violation_of_accessibility(quiet: Any, site: str, view: str) -> None:
    for theme in ("light", "dark"):
        quiet.set_window_size(*(WIDE if theme == "light" else NARROW))
        scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        quiet.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
        quiet.get(site + view)
        if view.startswith("/search"):
            until(quiet, "document.querySelector('#answer .cites')")
        assert violations(quiet, axe()) == []
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert quiet.execute_script(f"return {wide}"), "the page scrolls sideways"
    quiet.set_window_size(*WIDE)


def test_keys_go_to_the_box_and_through_hits(quiet: Any, site: str) -> None:
    from selenium.webdriver.common.keys import Keys

    quiet.get(f"{site}/search?q=uart")
    body = quiet.find_element("tag name", "body")
    body.send_keys("j")
    first = until(quiet, "document.querySelector('.hit.at')?.dataset.path")
    quiet.switch_to.active_element.send_keys("j")
    second = until(quiet, "document.querySelector('.hit.at')?.dataset.path")
    assert first != second
    quiet.switch_to.active_element.send_keys("k")
    assert until(quiet, "document.querySelector('.hit.at')?.dataset.path") == first
    quiet.switch_to.active_element.send_keys("?")
    assert until(quiet, "document.querySelector('#keys').open")
    quiet.switch_to.active_element.send_keys(Keys.ESCAPE)
    quiet.find_element("tag name", "body").send_keys("/")
    assert until(quiet, "document.activeElement.id === 'q'")
    quiet.switch_to.active_element.send_keys("timer", Keys.ENTER)
    until(quiet, "location.search === '?q=timer'")
    quiet.find_element("tag name", "body").send_keys("j")
    quiet.switch_to.active_element.send_keys(Keys.ENTER)
    assert until(quiet, "location.pathname.startsWith('/file/')")


def test_the_answer_comes_after_the_files(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/search?q=where+are+received+bits+sampled")
    until(quiet, "document.querySelector('#answer .body').ariaBusy === 'false'")
    assert "uart_rx.sv" in quiet.find_element("id", "answer").text
    assert quiet.find_elements("css selector", "#answer a.cite")


def test_colours_are_switched_and_remembered(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/help")
    seen = []
    for _ in range(3):
        quiet.find_element("id", "theme").click()
        seen.append(quiet.execute_script("return document.documentElement.dataset.theme"))
    assert sorted(seen) == ["auto", "dark", "light"]
    quiet.find_element("id", "theme").click()
    quiet.get(f"{site}/")
    assert quiet.execute_script("return document.documentElement.dataset.theme") == "light"
    quiet.execute_script("localStorage.clear()")


def test_a_level_is_fetched_when_it_is_opened(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/tree?unit=soc_top")
    before = quiet.execute_script("return document.querySelectorAll('.tree .row').length")
    quiet.find_element("css selector", ".tree details > summary").click()
    until(quiet, f"document.querySelectorAll('.tree .row').length > {before}")
    assert quiet.find_elements("css selector", ".tree .tree .row")


def test_a_node_opens_what_is_around_it(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/graph?name=soc_top")
    before = int(until(quiet, "document.querySelector('#graph').dataset.nodes"))
    quiet.execute_script(
        "[...document.querySelectorAll('.node')]"
        ".find((one) => one.ariaLabel.startsWith('module uart,'))"
        ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    )
    until(quiet, f"+document.querySelector('#graph').dataset.nodes > {before}")
    assert "uart" in until(quiet, "document.querySelector('#about').innerText")
    link = quiet.find_element("css selector", "#about a[href^='/file/']")
    assert "#L" in link.get_attribute("href")


def test_a_graph_is_zoomed_and_moved_by_keys(quiet: Any, site: str) -> None:
    from selenium.webdriver.common.keys import Keys

    quiet.get(f"{site}/graph?name=soc_top")
    view = "document.querySelector('.picture > g').getAttribute('transform')"
    node = until(quiet, "document.querySelector('.node')")
    quiet.execute_script("arguments[0].focus()", node)
    for key in ("+", Keys.ARROW_LEFT, "-", "0"):
        before = quiet.execute_script(f"return {view}")
        quiet.switch_to.active_element.send_keys(key)
        until(quiet, f"{view} !== arguments[0]", before)


def test_edges_of_one_column_pass_by_its_boxes(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/graph?name=uart_rx")
    until(quiet, "document.querySelector('#graph').dataset.nodes")
    quiet.execute_script(
        "[...document.querySelectorAll('.node')]"
        ".find((one) => one.ariaLabel.startsWith('module uart,'))"
        ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    )
    until(quiet, "document.querySelector('.node.open:not(.centre)')")
    # A straight way would stay at one x: the bow of an edge within a column does not.
    flat = quiet.execute_script(
        "return [...document.querySelectorAll('.edge')].filter((one) => {"
        "const box = one.getBBox(); return box.height > 30 && box.width < 5; }).length"
    )
    assert flat == 0


def test_a_judgement_and_a_conversation(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/search?q=uart+receiver")
    quiet.find_element("css selector", ".judge button").click()
    until(quiet, "document.querySelector('.judge button[aria-pressed=true]')")
    assert "Kept" in quiet.find_element("id", "say").get_attribute("textContent")
    until(quiet, "document.querySelector('#answer .goon')").find_element(
        "tag name", "button"
    ).click()
    until(quiet, "location.pathname.startsWith('/threads/')")
    quiet.find_element("id", "say-next").send_keys("who instantiates it?\n")
    until(quiet, "document.querySelectorAll('.turn .text').length === 2")
    assert not axe() or violations(quiet, axe()) == []


def test_the_token_is_entered_once(soc_words: Path, tab: Any) -> None:
    with running(soc_words, TOKEN) as address:
        tab.get(f"{address}/show?name=uart")
        assert not axe() or violations(tab, axe()) == []
        tab.find_element("name", "token").send_keys(TOKEN + "\n")
        until(tab, "location.pathname === '/show'")
        assert "uart_rx" in tab.find_element("tag name", "main").text


def test_without_javascript_it_is_still_a_page(site: str) -> None:
    with browser(javascript=False) as plain:
        plain.get(f"{site}/search?q=where+are+received+bits+sampled")
        assert plain.find_elements("css selector", ".hit")
        plain.find_element("link text", "Show the answer").click()
        assert plain.find_elements("css selector", "#answer a.cite")
        plain.get(f"{site}/tree?unit=soc_top")
        plain.find_element("css selector", ".tree details > summary").click()
        plain.find_element("css selector", ".tree details a").click()
        assert "/tree?unit=" in plain.current_url
        plain.get(f"{site}/graph?name=soc_top")
        plain.find_element("css selector", ".list-of summary").click()
        assert plain.find_elements("css selector", ".list-of tbody tr")


def test_a_page_that_takes_long_is_said_to_be_made(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/show?name=uart")
    slow = {"offline": False, "latency": 2500, "downloadThroughput": -1, "uploadThroughput": -1}
    quiet.execute_cdp_cmd("Network.enable", {})
    quiet.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
    # The driver waits for a page that is on its way: the present one keeps what it said.
    quiet.execute_script(
        "new MutationObserver(() => { const bar = document.querySelector('.wait-bar');"
        "if (bar) sessionStorage.setItem('said', bar.textContent); })"
        ".observe(document.body, {childList: true, subtree: true});"
        "document.querySelector('.acts a[href^=\"/clocks\"]').click()"
    )
    until(quiet, "location.pathname === '/clocks' && document.readyState === 'complete'")
    quiet.execute_cdp_cmd("Network.emulateNetworkConditions", {**slow, "latency": 0})
    assert quiet.execute_script("return sessionStorage.getItem('said')").startswith("Working, ")
    assert not quiet.find_elements("css selector", ".wait-bar")


def test_rows_of_a_table_are_reached_by_keys(quiet: Any, site: str) -> None:
    quiet.get(f"{site}/who?name=uart_rx")
    quiet.find_element("tag name", "body").send_keys("j")
    assert "uart" in until(quiet, "document.querySelector('tr.at')?.innerText")
    assert quiet.switch_to.active_element.tag_name == "a"


def test_a_box_of_a_block_diagram_is_opened_by_keys(quiet: Any, site: str) -> None:
    from selenium.webdriver.common.keys import Keys

    quiet.get(f"{site}/picture?unit=soc_top")
    quiet.execute_script("document.querySelector('.drawing svg a').focus()")
    quiet.switch_to.active_element.send_keys(Keys.ENTER)
    until(quiet, "location.pathname === '/show'")
