"""The documentation as a site: it is built without complaint, and its readers ask no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from _browser import browser, missing

ROOT = Path(__file__).parents[2]
LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
LOADS |= {"object": "data", "video": "src", "audio": "src", "embed": "src"}
"""What a browser fetches of its own accord: tags and their attributes."""
NAMES = re.compile(
    r"https?://(?:www\.w3\.org|lunrjs\.com|tartarus\.org|clipboardjs\.com|bit\.ly|fontawesome\.com)"
)
"""Namespaces and authors' addresses in scripts, which no script fetches."""


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = spec_from_file_location("site_hooks", ROOT / "docs" / "site" / "hooks.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def target(entry: str | dict[str, str]) -> str:
    return entry if isinstance(entry, str) else next(iter(entry.values()))


def test_every_page_is_in_the_menu_once(hooks: ModuleType) -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} | set(hooks.generated())
    pages.add("not-yet-known.md")
    menu = hooks.menu(pages)
    shown = [page for part in menu for inner in part.values() for page in map(target, inner)]
    assert sorted(shown) == sorted(pages)
    assert menu[0]["Begin"][0] == {"Start": "index.md"}
    assert menu[-1] == {"More": ["not-yet-known.md"]}


def test_links_are_those_of_the_site(hooks: ModuleType) -> None:
    text = "[a](../README.md#figures) [b](json.md) [`c.py`](../parsers/c.py) [d](https://x.y/z)"
    assert hooks.in_site(text, "docs/mcp.md") == (
        "[a](readme.md#figures) [b](json.md) `c.py` (`parsers/c.py`) [d](https://x.y/z)"
    )
    assert hooks.in_site("[a](docs/json.md#ask)", "README.md") == "[a](json.md#ask)"
    kept = "```\n- [a](docs/json.md)\n  b\n```"
    assert hooks.in_site(kept, "README.md") == kept
    assert hooks.in_site("text\n- a\n  - b", "README.md") == "text\n\n- a\n    - b"


class Fetched(HTMLParser):
    """Collects what a browser fetches for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.found.append(told.get(LOADS.get(tag, "")) or "")
        self.found += re.findall(r"url\(['\"]?([^'\")]+)", told.get("style") or "")


def outside(page: str) -> list[str]:
    """Returns the addresses of other hosts that a browser fetches for a page."""
    parser = Fetched()
    parser.feed(page)
    styles = re.findall(r"<style[^>]*>(.*?)</style>", page, re.S)
    told = [*parser.found, *(url for one in styles for url in addresses(one))]
    return [url for url in told if re.match(r"(?:https?:)?//", url)]


def code(script: str) -> str:
    """Returns a script without its comments, in which licences have addresses."""
    return re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", script, flags=re.S | re.M)


def addresses(style: str) -> list[str]:
    return re.findall(r"(?:url\(|@import\s*)['\"]?([^'\")]+)", style)


def test_an_asset_of_another_host_would_be_found() -> None:
    page = '<link href="//a/b.css"><script src="https://c/d.js"></script><a href="https://e"></a>'
    page += "<style>@import 'https://f';</style><p style='background: url(http://g)'><img src=h>"
    assert len(outside(page)) == 4


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it, without a network: every proxy leads nowhere."""
    if not find_spec("mkdocs") or not find_spec("material"):
        pytest.skip("needs mkdocs-material (pip install -e '.[docs]')")
    target = tmp_path_factory.mktemp("site") / "site"
    nowhere = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "all_proxy")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(target)],
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_the_site_has_every_page(site: Path, hooks: ModuleType) -> None:
    wanted = {path.name for path in (ROOT / "docs").glob("*.md")} | set(hooks.generated())
    built = {path.name for path in site.glob("*.html")} - {"404.html"}
    assert built == {name.removesuffix(".md") + ".html" for name in wanted}
    assert "hdlgraph search [OPTIONS]" in re.sub(
        r"<[^>]+>", "", (site / "commands.html").read_text("utf-8")
    )
    assert not list(site.rglob("*.py"))


def test_a_reader_asks_no_other_host(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        assert outside(path.read_text("utf-8")) == [], path.name
    for path in sorted(site.rglob("*.css")):
        assert [
            u for u in addresses(path.read_text("utf-8")) if "//" in u and "data:" not in u
        ] == []
    for path in sorted(site.rglob("*.js")):
        found = re.findall(r"https?://[\w.@/-]+", code(path.read_text("utf-8")))
        assert [url for url in found if not NAMES.match(url)] == [], path.name


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_a_browser_finds_its_words_and_asks_no_other_host(site: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True, name="stub-site").start()
    here = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        with browser() as driver:
            driver.get(f"{here}index.html?q=witnesses")
            found = "return document.querySelectorAll('.md-search-result__link').length"
            end = time.monotonic() + 10
            while not driver.execute_script(found) and time.monotonic() < end:
                time.sleep(0.1)
            assert driver.execute_script(found) > 0
            asked = driver.execute_script(
                "return performance.getEntriesByType('resource').map(one => one.name)"
            )
            assert len(asked) > 3
            assert [url for url in asked if not url.startswith((here, "data:"))] == []
            assert [one for one in driver.get_log("browser") if one["level"] == "SEVERE"] == []
    finally:
        server.shutdown()
        server.server_close()
