"""The page against strangers: other sites, missing tokens, hostile repositories and requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from _web import TOKEN, form_token, served
from starlette.testclient import TestClient

from hdlgraph.project import Project

VIEWS = (
    "/",
    "/search?q=uart+receiver",
    "/ask?q=uart+receiver",
    "/file/rtl/uart_rx.sv",
    "/show?name=uart",
    "/tree",
    "/tree?unit=soc_top",
    "/tree/level?unit=soc_top",
    "/graph?name=uart",
    "/path?source=soc_top&target=uart_rx",
    "/trace?name=uart_rx.state_q",
    "/machines?unit=uart_rx",
    "/registers",
    "/clocks?unit=soc_top",
    "/crossings?unit=soc_top",
    "/picture?unit=soc_top",
    "/who?name=uart",
    "/impact?name=uart",
    "/unused",
    "/testbench",
    "/reach",
    "/threads",
    "/feedback",
    "/status",
    "/help",
    "/licences",
)
NAMED = ("/who", "/impact", "/clocks", "/crossings", "/unused", "/testbench", "/reach", "/picture")
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
COMMENT = "</script><script>alert(3)</script> \x1b[31mred\x1b[0m \u202egnp.exe"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose names and comments would be code in a careless page."""
    root = tmp_path_factory.mktemp("hostile") / "<b>repo&amp;"
    (root / "rtl").mkdir(parents=True)
    (root / "rtl" / f"{EVIL.replace('/', '')}.sv").write_text(
        f"// {COMMENT}\n// A `<i>receiver` of {EVIL}\n"
        "module \\<script>alert(4) (input wire clk); wire x; // \"onload='alert(5)'\n"
        "  child u_child (.clk(clk));\n"
        "  reg \\<script>q ;\n  always @(posedge clk) \\<script>q <= ~\\<script>q ;\nendmodule\n"
    )
    (root / "rtl" / "child.sv").write_text(
        f"/* {COMMENT} */\nmodule child(input clk);\nendmodule\n"
    )
    (root / "rtl" / "away.sv").symlink_to("/etc/passwd")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return root


@pytest.fixture
def evil(hostile: Path) -> Iterator[TestClient]:
    with served(hostile) as client:
        yield client


@pytest.mark.parametrize("view", VIEWS)
def test_every_answer_has_the_headers_and_nothing_inline(page: TestClient, view: str) -> None:
    got = page.get(view)
    assert got.status_code == 200
    policy = got.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert got.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<[^>]+\s(style|on\w+)\s*=", got.text)
    for script in re.findall(r"<script[^>]*>", got.text):
        assert 'src="/static/' in script or 'type="application/json"' in script
    assert not re.search(r'(src|href)="(https?:)?//', got.text)


def test_errors_have_the_headers_too(page: TestClient) -> None:
    for got in (page.get("/nothing"), page.get("/api/v1/show?name=x"), page.get("/static/x.js")):
        assert got.status_code == 404
        assert "default-src 'none'" in got.headers["content-security-policy"]


def test_text_of_a_repository_and_of_requests_is_escaped(evil: TestClient, hostile: Path) -> None:
    files = sorted(Project(hostile).manifest().files)
    assert len(files) == 2  # the link out of the root is none
    units = [one["unit_id"] for one in Project(hostile).level("")["entries"]]
    assert any("<script>" in unit for unit in units)
    views = [
        *VIEWS[:1],
        "/search?q=receiver",
        "/ask?q=receiver",
        "/tree",
        "/show?name=child",
        "/graph?name=child",
        "/tree?unit=child",
        "/status",
        "/who?name=child",
        "/impact?name=child",
        "/testbench?name=child",
        "/unused",
        "/unused?deliberate=true",
        *(
            f"/{view}={quote(unit)}"
            for unit in units
            for view in ("clocks?unit", "crossings?unit", "picture?unit", "show?name", "who?name")
        ),
        *(f"/file/{name}" for name in files),
    ]
    for view in views:
        check_harmless(evil.get(view).text, view)
    for address in ("/search", "/ask", "/show", "/graph", "/path", "/tree", *NAMED):
        for key in ("q", "name", "unit", "source", "target", "role"):
            got = evil.get(address, params={key: EVIL}, headers={"accept": "text/html"})
            assert got.status_code in (200, 400, 404)
            check_harmless(got.text, f"{address} {key}")


def check_harmless(html: str, view: str) -> None:
    assert "<script>" not in html, view
    assert "<img" not in html, view
    assert "\x1b" not in html, view
    assert "\u202e" not in html, view
    assert "alert(3)</script>" not in html, view


@pytest.mark.parametrize(
    "path",
    [
        "/file/../../../etc/passwd",
        "/file/%2e%2e/%2e%2e/etc/passwd",
        "/file//etc/passwd",
        "/file/rtl/away.sv",
        "/file/.hdlgraph/manifest.json",
        "/file/rtl%00/child.sv",
        "/static/..%2fapp.py",
        "/static/%2e%2e/templates/base.html",
    ],
)
def test_no_file_but_those_of_the_index_is_shown(evil: TestClient, path: str) -> None:
    got = evil.get(path)
    assert got.status_code == 404
    assert "root:" not in got.text
    assert "import" not in got.text


def test_a_file_replaced_by_a_link_is_not_shown(indexed_soc: Path) -> None:
    (indexed_soc / "rtl" / "uart_rx.sv").unlink()
    (indexed_soc / "rtl" / "uart_rx.sv").symlink_to("/etc/passwd")
    with served(indexed_soc) as client:
        got = client.get("/file/rtl/uart_rx.sv")
        assert got.status_code == 200
        assert "root:" not in got.text
        assert "not as it was indexed" in got.text


def test_pages_of_other_names_and_sites_get_nothing(page: TestClient) -> None:
    assert page.get("/", headers={"host": "evil.example"}).status_code == 421
    away = {"origin": "http://evil.example"}
    assert page.get("/api/v1/status", headers=away).status_code == 403
    asked = {"q": "uart", "path": "rtl/uart_rx.sv"}
    assert page.post("/api/v1/feedback", json=asked, headers=away).status_code == 403
    assert page.post("/judge", data=asked, headers=away).status_code == 403


def test_a_form_needs_the_token_of_its_session(page: TestClient, soc_words: Path) -> None:
    asked = {"q": "uart", "path": "rtl/uart_rx.sv", "verdict": "up"}
    for address in ("/judge", "/threads", "/threads/x/forget", "/threads/x"):
        assert page.post(address, data=asked).status_code in (400, 403)
        assert page.post(address, data={**asked, "csrf": "0" * 64}).status_code in (400, 403)
    own = form_token(page)
    with served(soc_words) as other:
        other.get("/help")
        assert other.post("/judge", data={**asked, "csrf": own}).status_code == 403
    assert page.post("/judge", data={**asked, "csrf": own}).status_code == 200
    page.cookies.clear()
    assert "HttpOnly; SameSite=Strict" in page.get("/help").headers["set-cookie"]


def test_with_a_token_nothing_is_shown_before_it_is_entered(soc_words: Path) -> None:
    with served(soc_words, TOKEN) as client:
        for view in (*VIEWS, "/overview", "/nothing"):
            got = client.get(view)
            assert got.status_code == 303
            assert got.headers["location"].startswith("/login?to=%2F")
            assert not got.text
        for address in ("/api/v1/status", "/api/v1/search?q=uart"):
            assert client.get(address).status_code == 401
        assert client.get("/login").status_code == 200
        assert "soc_top" not in client.get("/login").text
        assert client.post("/login", data={"token": "wrong"}).status_code == 401
        away = client.post("/login", data={"token": TOKEN, "to": "//evil.example/"})
        assert away.headers["location"] == "/"
        assert "HttpOnly; SameSite=Strict" in away.headers["set-cookie"]
        assert client.get("/search?q=uart").status_code == 200
        assert client.post("/logout", data={"csrf": form_token(client)}).status_code == 303
        assert client.get("/").status_code == 303
        header = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/v1/status", headers=header).status_code == 200


def test_a_forged_session_is_none(soc_words: Path) -> None:
    with served(soc_words, TOKEN) as client:
        client.cookies.set("hdlgraph-8650", f"me.{'0' * 64}")
        assert client.get("/").status_code == 303


def test_endless_requests_are_refused(page: TestClient) -> None:
    megabyte = "x" * 1_000_001
    assert page.post("/api/v1/search", json={"q": megabyte}).status_code == 413
    assert page.get("/search", params={"q": "x" * 9_000}).status_code == 414
    assert page.get("/search", params={"q": "x" * 5_000}).status_code == 400
    long = page.post("/api/v1/search", json={"q": "x" * 900_000})
    assert long.status_code == 400
    assert len(long.text) < 1_000
    many = "&".join(f"a{n}=1" for n in range(500))
    own = form_token(page)
    assert page.post("/judge", content=f"csrf={own}&{many}").status_code == 403
