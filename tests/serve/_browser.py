"""A real browser for tests of the page: Chromium without a window, driven by selenium."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hdlgraph.project.resident import Resident
from hdlgraph.serve.http.address import LOOPBACK, Address, bind
from hdlgraph.serve.http.guard import Guard
from hdlgraph.serve.web.app import application
from hdlgraph.serve.web.site import Site

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = (1400, 900), (420, 900)
WAIT_S = 10.0


def missing() -> str:
    """Returns why no browser can be driven here, or "" when one can."""
    if not any(map(shutil.which, BROWSERS)):
        return f"no browser here (one of {', '.join(BROWSERS)}): apt-get install chromium"
    if not shutil.which("chromedriver"):
        return "no chromedriver here: apt-get install chromium-driver"
    return ""


def axe() -> str:
    """Returns the source of axe-core, "" where the package that carries it is not installed."""
    try:
        carrier = importlib.metadata.distribution("axe-playwright-python")
    except importlib.metadata.PackageNotFoundError:
        return ""
    return Path(str(carrier.locate_file("axe_playwright_python/axe.min.js"))).read_text("utf-8")


@contextmanager
def browser(javascript: bool = True, theme: str = "light") -> Iterator[Any]:
    """Yields a driver; `log` of its pages is kept."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not javascript:
        off = {"profile.managed_default_content_settings.javascript": 2}
        options.add_experimental_option("prefs", off)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_window_size(*WIDE)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def running(root: Path, token: str = "") -> Iterator[str]:
    """Yields the address of a real server of a repository's page."""
    import uvicorn

    opened, address = bind(Address("127.0.0.1", 0, frozenset(LOOPBACK), token))
    site = Site(Resident(root), address)
    app = Guard(application(site), address, site.sessions.admits)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", http="h11", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield address.url
    finally:
        server.should_exit = True
        thread.join(5)
        opened.close()
        site.close()


def until(driver: Any, script: str, *arguments: Any) -> Any:
    """Returns what a script returns as soon as that is something; fails after `WAIT_S`."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = driver.execute_script(f"return {script}", *arguments)
        if found:
            return found
        time.sleep(0.05)
    folder = os.environ.get("HDLGRAPH_SHOTS")
    if folder:
        driver.save_screenshot(str(Path(folder) / "failed.png"))
    raise AssertionError(f"not within {WAIT_S} s: {script}")


def violations(driver: Any, source: str) -> list[str]:
    """Returns what axe-core finds on the present page that is serious or critical."""
    driver.execute_script(source)
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations));"
    )
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
