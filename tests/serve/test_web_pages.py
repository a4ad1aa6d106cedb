"""What the pages show, without JavaScript too, and what they do while the index changes."""

from __future__ import annotations

import re
import shutil
import time
from html import unescape
from pathlib import Path

from _web import served
from starlette.testclient import TestClient

from hdlgraph.project import Project
from hdlgraph.serve.web import api
from hdlgraph.serve.web.app import routes

LINK = re.compile(r'href="([^"#]+)')


def test_ranked_files_with_their_lines_and_reasons(page: TestClient) -> None:
    got = page.get("/search?q=where+are+received+bits+sampled")
    assert "server-timing" in got.headers
    first = got.text.split('<li class="hit"')[1]
    assert "uart_rx.sv" in first
    assert re.search(r'<a href="/file/rtl/uart_rx.sv[^"]*#L\d+">\s*<span class="n">\d+', first)
    assert "<mark>" in first
    assert "Evidence" in first


def test_a_word_that_the_question_has_not_tells_why_it_is_marked(page: TestClient) -> None:
    html = unescape(page.get("/search?q=where+is+the+interrupt+raised").text)
    assert '<mark title="irq: looked for with “interrupt”">irq</mark>' in html
    own = unescape(page.get("/search?q=irq").text)
    assert "<mark>irq</mark>" in own


def test_an_answer_cites_places_that_exist(page: TestClient) -> None:
    html = page.get("/ask?q=where+are+received+bits+sampled").text
    cited = re.findall(r'<a class="cite" href="(/file/[^"?#]+)[^"]*#L(\d+)', html)
    assert cited
    for path, line in cited:
        assert f'id="L{line}"' in page.get(path).text


def test_every_link_of_every_view_resolves(page: TestClient) -> None:
    """Walks from the first page over its own links, as far as the little system goes."""
    begin = ("/", "/search?q=uart", "/ask?q=uart", "/graph?name=soc_top")
    waiting, seen = [(one, "") for one in begin], set()
    while waiting:
        address, where = waiting.pop()
        if address in seen or address.startswith("/overview"):  # that builds tables, see below
            continue
        seen.add(address)
        got = page.get(address)
        assert got.status_code == 200, f"{address} on {where}"
        if got.headers["content-type"].startswith("text/html") and len(seen) < 250:
            waiting += [(unescape(one), address) for one in LINK.findall(got.text)]
    assert len(seen) > 60


def test_a_card_has_ports_instances_and_users(page: TestClient) -> None:
    html = page.get("/show?name=uart").text
    for words in ("Ports", "Instances", "Instantiated by", "uart_rx", "soc_top", "What it does"):
        assert words in html
    assert "2 definitions" not in html


def test_the_hierarchy_opens_level_by_level(page: TestClient) -> None:
    assert "soc_tb" in page.get("/tree").text
    level = page.get("/tree/level?unit=soc_top").text
    assert "<html" not in level
    nested = unescape(re.findall(r'data-level="([^"]+)"', level)[0])
    assert page.get(nested).status_code == 200


def test_a_source_page_begins_at_a_line(page: TestClient, tmp_path: Path) -> None:
    html = page.get("/file/rtl/uart_rx.sv?line=3").text
    assert 'id="L3"' in html
    assert 'id="L2"' not in html
    assert page.get("/file/rtl/uart_rx.sv?line=x").status_code == 400
    assert page.get("/file/rtl/uart_rx.sv?line=999999").status_code == 400


def test_what_moved_is_told(indexed_soc: Path) -> None:
    with served(indexed_soc) as client:
        changed = indexed_soc / "rtl" / "uart_rx.sv"
        changed.write_text(changed.read_text() + "// more\n")
        html = client.get("/search?q=uart").text
        assert "the index is older than its files" in html
        assert "1 changed" in client.get("/status").text


def test_no_index_is_told_with_the_command(soc: Path) -> None:
    with served(soc) as client:
        got = client.get("/search?q=uart", headers={"accept": "text/html"})
        assert got.status_code == 503
        assert "hdlgraph index" in got.text
        assert client.get("/api/v1/search?q=uart").json()["schema"] == 1


def test_a_new_index_is_taken_without_a_restart(indexed_soc: Path) -> None:
    with served(indexed_soc) as client:
        assert client.get("/show?name=brand_new").status_code == 404
        (indexed_soc / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
        Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
        end = time.monotonic() + 8
        while time.monotonic() < end:
            assert client.get("/search?q=uart").status_code == 200
            if client.get("/show?name=brand_new").status_code == 200:
                break
            time.sleep(0.1)
        assert client.get("/show?name=brand_new").status_code == 200


def test_a_page_goes_on_while_its_index_is_away(indexed_soc: Path) -> None:
    """What was opened stays on disk under its lease, whatever happens to the folder's names."""
    with served(indexed_soc) as client:
        assert client.get("/search?q=uart").status_code == 200
        (indexed_soc / ".hdlgraph" / "manifest.json").rename(indexed_soc / "away.json")
        time.sleep(1.1)
        assert client.get("/search?q=timer").status_code == 200
        shutil.move(indexed_soc / "away.json", indexed_soc / ".hdlgraph" / "manifest.json")


def test_static_files_name_their_content(page: TestClient) -> None:
    got = page.get("/static/d3.js")
    assert "d3js.org" in got.text[:600]
    again = page.get("/static/d3.js", headers={"if-none-match": got.headers["etag"]})
    assert again.status_code == 304
    assert "Mike Bostock" in page.get("/licences").text


def test_the_guide_names_every_view_and_every_call(page: TestClient) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "web.md").read_text()
    told = set(re.findall(r"`(/[a-z]+)[?/`]", guide))
    shown = {
        route.path.partition("{")[0].rstrip("/")
        for route in routes(page.site)
        if "GET" in (route.methods or ()) and not route.path.startswith(("/api", "/static"))
    }
    inner = {"", "/answer", "/tree/level", "/feedback/questions.jsonl"}
    assert shown - inner <= told
    calls = guide.partition("Below `/api/v1`")[2].partition("## ")[0]
    assert {call.name for call in api.CALLS} <= set(re.findall(r"`([\w/]+)`", calls))
    assert told - {"/api"} <= {*shown, "/login"}


def test_json_md_has_the_keys_of_the_objects_that_are_only_here(page: TestClient) -> None:
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    part = text.partition("## `serve`: `/api/v1`")[2]
    level = page.get("/api/v1/level?unit=soc_top").json()
    around = page.get("/api/v1/neighbours?name=uart").json()
    keys = {*level, *level["entries"][0], *around, *around["edges"][0]}
    general = {"schema", "notes", "stale", "id", "kind", "name", "path", "line", "location"}
    assert keys - general <= set(re.findall(r"`(\w+)`", part))


def test_a_view_without_its_name_asks_for_it(page: TestClient) -> None:
    for view in ("/show", "/graph", "/show?name="):
        got = page.get(view, headers={"accept": "text/html"})
        assert got.status_code == 200
        assert '<input name="name"' in got.text


def test_an_error_says_what_is_wrong_in_words(page: TestClient) -> None:
    def said(address: str) -> str:
        return page.get(address, headers={"accept": "text/html"}).text

    assert "<code>k</code>: expected a number" in said("/search?q=uart&k=many")
    assert 'href="/search?q=nosuchthing"' in said("/show?name=nosuchthing")


def test_tops_are_told_apart_by_their_folder(page: TestClient) -> None:
    assert re.search(r"<bdi>rtl/[\w/]+\.s?v:\d+</bdi>", page.get("/tree").text)


def test_comments_of_several_lines_stand_without_backslashes(tmp_path: Path) -> None:
    source = "module m #(\n  // first line\n  // second line\n  parameter W = 1\n) (); endmodule\n"
    (tmp_path / "m.sv").write_text(source)
    Project(tmp_path).index(embeddings=False)
    with served(tmp_path) as client:
        html = client.get("/show?name=m").text
    assert "first line second line" in html


def test_a_removed_file_is_said_to_be_removed(indexed_soc: Path) -> None:
    (indexed_soc / "rtl" / "uart_rx.sv").unlink()
    with served(indexed_soc) as client:
        html = client.get("/file/rtl/uart_rx.sv").text
        assert "was removed since the index was made" in html
        assert 'class="src"' not in html
        assert "none (words and graph only)" in client.get("/status").text


def test_a_card_leads_to_the_block_diagram(page: TestClient) -> None:
    card = page.get("/show?name=soc_top").text
    (address,) = set(re.findall(r'href="(/picture\?unit=[^"]+)"', card))
    shown = page.get(unescape(address)).text
    image = unescape(re.findall(r'href="(/drawing[^"]+)"', shown)[0])
    drawn = page.get(image)
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "attachment" in drawn.headers["content-disposition"]
    assert "u_arbiter" in drawn.text
    assert "u_arbiter" in shown  # for those who cannot see the image
    assert page.get("/picture?unit=nosuch").status_code == 404
    assert page.get("/drawing?unit=nosuch").status_code == 404


def test_places_of_an_impact_have_their_folder(page: TestClient) -> None:
    """Units of one name in files of one name are told apart by it alone."""
    text = page.get("/impact?name=uart").text
    assert '<span class="dir">rtl/</span><b>soc_top.sv</b>' in text


def test_a_drawing_may_be_fitted_to_the_width(page: TestClient) -> None:
    assert '<input type="checkbox" id="fit">' in page.get("/picture?unit=soc_top").text
