"""Documents are indexed beside the design: found, read, linked, kept in step."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import msgspec
import pytest
from _papers import bomb, write_manual

from hdlgraph.errors import IndexDamagedError, IndexUnsafeError, UsageError
from hdlgraph.index.documents.find import domain_of, home_of, named_roots
from hdlgraph.index.documents.pool import read_all
from hdlgraph.index.documents.worker import Task
from hdlgraph.project import Project
from hdlgraph.results import IndexReport
from hdlgraph.settings.records import Settings
from hdlgraph.store.documents.folder import FOLDER, read_documents, read_manifest

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "pulse"


def index(root: Path, **more: object) -> IndexReport:
    return Project(root).index(embeddings=False, graphrag="never", jobs=1, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pulse unit with its manual, indexed; read only."""
    root = Path(shutil.copytree(DESIGN, tmp_path_factory.mktemp("built") / "pulse"))
    write_manual(root)
    report = index(root)
    assert report.documents is None  # not asked for
    before = Project(root).search("which module counts steps?")
    assert before.passages == ()
    report = index(root, documents=True)
    found = report.documents
    assert found is not None
    assert (found.documents, found.read, found.failed) == (4, 4, ())
    assert found.formats == {"markdown": 1, "pdf": 1, "rst": 2}
    assert found.registers > 3
    after = Project(root).search("which module counts steps?")
    assert after.hits == before.hits
    assert after.confidence == before.confidence
    return root


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """The same, free to be edited."""
    return Path(shutil.copytree(built, tmp_path / "pulse"))


def test_a_section_is_found_with_its_place_and_its_links(built: Path) -> None:
    found = Project(built).search("when does the counter run?", kind="doc").passages
    first = found[0]
    assert (first.path, first.line, first.end_line) == ("doc/pulse.md", 5, 8)
    assert (first.title, first.crumbs, first.anchor) == (
        "Theory of operation",
        ("Pulse unit",),
        "theory-of-operation",
    )
    assert "and then the counter runs" in first.text
    assert first.text_line == 7
    links = {(link.kind, link.name, link.path) for link in first.links}
    assert ("MENTIONS", "rtl/pulse.sv", "rtl/pulse.sv") in links
    assert ("DESCRIBED_BY", "pulse", "rtl/pulse.sv") in links


def test_a_section_mentions_registers_of_its_own_block(built: Path) -> None:
    first = Project(built).search("when does the counter run?", kind="doc").passages[0]
    assert any(
        link.name == "pulse.CTRL" and link.path == "data/pulse.hjson" and link.line > 1
        for link in first.links
    )


def test_a_register_is_a_passage_with_the_rtl_behind_it(built: Path) -> None:
    found = Project(built).search("control register step", kind="register").passages
    assert {one.kind for one in found} == {"register"}
    first = found[0]
    assert (first.path, first.title) == ("data/pulse.hjson", "pulse.CTRL")
    assert "STEP" in first.text.upper()
    assert first.links[0].kind == "IMPLEMENTS"
    assert first.links[0].path == "rtl/pulse_reg_top.sv"


def test_the_two_lists_are_joined(built: Path) -> None:
    result = Project(built).search("pulse counter theory")
    ranks = {hit.path: hit.rank for hit in result.hits}
    linked = [link for one in result.passages for link in one.links if link.path in ranks]
    assert linked
    assert all(link.hit == ranks[link.path] for link in linked)
    alone = Project(built).search("pulse counter theory", kind="rtl")
    assert alone.passages == ()
    assert alone.hits == result.hits


def test_what_is_there_twice_is_one_passage_with_two_places(built: Path) -> None:
    found = Project(built).search("how to reset the board button", kind="doc").passages
    mine = [one for one in found if "ten seconds" in one.text]
    assert [one.path for one in mine] == ["doc/notes.rst"]
    assert [(p.path, p.line) for p in mine[0].places] == [("vendor/other/doc/notes.rst", 1)]


def test_a_page_of_a_pdf_is_found(built: Path) -> None:
    first = Project(built).search("junction temperature degrees", kind="doc").passages[0]
    assert (first.path, first.page, first.line) == ("doc/manual.pdf", 1, 0)
    assert "125 degrees" in first.text


def test_only_what_changed_is_read_again(copied: Path) -> None:
    import os

    for path in copied.rglob("doc/*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert _read(index(copied)) == 4  # their time is another one
    assert _read(index(copied)) == 0
    manual = copied / "doc" / "pulse.md"
    manual.write_text(manual.read_text() + "\n## Zebra crossing\n\nStripes.\n")
    os.utime(manual, (1_700_000_100, 1_700_000_100))
    project = Project(copied)
    stale = project.search("counter runs", kind="doc")
    assert any("documents changed" in note for note in stale.notes)
    assert _read(index(copied)) == 1
    assert project.search("zebra", kind="doc").passages[0].title == "Zebra crossing"
    manual.unlink()
    report = index(copied)
    assert report.documents is not None
    assert report.documents.documents == 3
    assert project.search("zebra", kind="doc").passages == ()


def _read(report: IndexReport) -> int:
    assert report.documents is not None
    return report.documents.read


def test_a_folder_of_docs_is_read_only_when_it_is_named(copied: Path, tmp_path: Path) -> None:
    outside = tmp_path / "manuals"
    outside.mkdir()
    (outside / "board.txt").write_text("Board bring-up\n\nFit the jumper first.\n")
    project = Project(copied)
    report = index(copied, docs=[outside])
    assert report.documents is not None
    assert report.documents.roots == {"manuals": str(outside)}
    assert project.search("jumper", kind="doc").passages[0].path == "@manuals/board.txt"
    (outside / "board.txt").write_text("Board bring-up\n\nFit the zener first.\n")
    index(copied)  # not named: nothing outside is looked at, and nothing lost
    assert project.search("jumper", kind="doc").passages[0].path == "@manuals/board.txt"
    assert project.search("zener", kind="doc").passages == ()
    index(copied, docs=[outside])
    assert project.search("zener", kind="doc").passages[0].domain == "manuals"
    with pytest.raises(UsageError, match="no such folder"):
        index(copied, docs=[tmp_path / "none"])


def test_roots_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / one / "docs" for one in ("a", "b")]
    for one in folders:
        one.mkdir(parents=True)
    assert list(named_roots([*folders, folders[0]], {})) == ["docs", "docs-2"]
    # A name that the index has for another folder is not taken over.
    assert list(named_roots(folders[1:], {"docs": str(folders[0])})) == ["docs-2"]
    assert list(named_roots(folders[1:], {"b": str(folders[1])})) == ["b"]


def test_documents_alone_are_indexed(tmp_path: Path) -> None:
    write_manual(tmp_path)
    with pytest.raises(UsageError, match="--documents"):
        index(tmp_path)
    report = index(tmp_path, documents=True)
    assert report.files == 0
    result = Project(tmp_path).search("when does the counter run?")
    assert result.hits == ()
    assert result.passages[0].path == "doc/pulse.md"


def test_broken_documents_are_told_and_the_others_indexed(tmp_path: Path) -> None:
    write_manual(tmp_path)
    (tmp_path / "doc" / "broken.pdf").write_bytes(b"%PDF-1.7 what")
    (tmp_path / "doc" / "bomb.docx").write_bytes(bomb())
    (tmp_path / "doc" / "gone.md").symlink_to("/etc/passwd")
    report = index(tmp_path, documents=True).documents
    assert report is not None
    assert report.documents == 4
    assert [line.partition(": ")[0] for line in report.failed] == [
        "doc/bomb.docx",
        "doc/broken.pdf",
    ]
    again = index(tmp_path).documents
    assert again is not None
    assert again.failed == report.failed


def test_a_reader_that_hangs_loses_its_document_alone(tmp_path: Path) -> None:
    (tmp_path / "slow.html").write_text("<p><b>x</b>" * 400_000)
    (tmp_path / "fast.txt").write_text("hello there\n")
    tasks = [Task(name, str(tmp_path), name) for name in ("slow.html", "fast.txt")]
    found = {}
    read_all(tasks, 1, 0.7, 1024, lambda task, read: found.update({task.path: read}))
    assert found["slow.html"].why == "not read: its process took more than 0.7 s"
    assert found["fast.txt"].document.sections[0].text == "hello there"


def test_a_damaged_index_of_documents_says_so(copied: Path) -> None:
    folder = copied / ".hdlgraph" / FOLDER
    part = next(folder.glob("words-*"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    with pytest.raises(IndexDamagedError, match="--documents"):
        Project(copied).search("counter", kind="doc")
    index(copied)
    assert Project(copied).search("counter", kind="doc").passages


def test_numbers_that_lead_nowhere_are_refused(copied: Path) -> None:
    import hashlib

    folder = copied / ".hdlgraph" / FOLDER
    stored = read_documents(copied / ".hdlgraph")
    assert stored is not None
    first = stored.contents.passages[0]
    bad = first._replace(places=(first.places[0]._replace(document=99),))
    contents = msgspec.structs.replace(stored.contents, passages=(bad,), links=())
    data = msgspec.msgpack.encode(contents)
    sha256 = hashlib.sha256(data).hexdigest()
    name = f"passages-{sha256[:16]}.msgpack"
    (folder / name).write_bytes(data)
    manifest = read_manifest(copied / ".hdlgraph")
    assert manifest is not None
    files = {**manifest.files, "passages": (name, sha256)}
    changed = msgspec.structs.replace(manifest, files=files)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(changed))
    with pytest.raises(IndexDamagedError, match="no document"):
        Project(copied).search("counter", kind="doc")
    (folder / "manifest.json").write_bytes(b'{"schema": 99}')
    assert Project(copied).search("counter").passages == ()  # of another version: as if none
    (folder / name).unlink()
    (folder / name).symlink_to("/etc/passwd")
    with pytest.raises(IndexUnsafeError):
        index(copied, documents=True)


def test_addresses_come_from_the_users_own_settings(copied: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    text = (
        "hdlgraph:\n  documents:\n    urls: [doc=https://example.com/m]\n    domains: [doc=board]\n"
    )
    own.write_text(text)
    index_folder = copied / ".hdlgraph"
    found = Project(copied, index_folder, own).search("counter runs", kind="doc").passages[0]
    assert found.url == "https://example.com/m/pulse.md#theory-of-operation"
    (copied / "settings.yaml").write_text(text)
    with pytest.raises(UsageError, match="not for a repository"):
        Project(copied).search("counter runs", kind="doc")
    assert domain_of("doc/a/b.md", {"doc": "board", "doc/a": "inner"}) == "inner"
    assert domain_of("hw/ip/uart/doc/dv.md", {}) == "uart"
    assert home_of("hw/ip/uart/doc/dv/x.md") == "hw/ip/uart"


def test_documents_never_and_unknown_kinds(copied: Path) -> None:
    settings = Settings()
    documents = dataclasses.replace(settings.documents, enabled="never")
    project = Project(copied, None, dataclasses.replace(settings, documents=documents))
    assert project.index(embeddings=False, graphrag="never").documents is None
    with pytest.raises(UsageError, match="kind cats: unknown"):
        project.search("counter", kind="cats")
    with pytest.raises(UsageError, match="at least 1"):
        project.search("counter", kind="doc", passages=0)
    with pytest.raises(UsageError, match="empty"):
        project.search("??", kind="doc")
