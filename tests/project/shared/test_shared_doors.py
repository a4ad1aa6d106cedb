"""A shared index through every door: made once, read by those who have a checkout and no index."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from _bucket import KEY, SECRET

from hdlgraph.errors import SettingsError, UsageError
from hdlgraph.project import Project
from hdlgraph.project.resident import Resident
from hdlgraph.serve.cli.main import run
from hdlgraph.serve.mcp.repositories import repositories_of
from hdlgraph.serve.mcp.setup import arguments_of
from hdlgraph.settings.records import Settings
from hdlgraph.store.shared.address import read_address
from hdlgraph.store.shared.open_bucket import open_bucket
from hdlgraph.store.shared.publish import begin, publish

QUERIES = (
    ["search", "uart receiver"],
    ["ask", "uart receiver"],
    ["show", "soc_top"],
    ["tree"],
    ["who", "uart_rx"],
    ["impact", "uart_rx"],
    ["fsm", "uart_rx"],
    ["unresolved"],
)


def send(address: str, folder: Path) -> None:
    """Publishes an index folder as it is."""
    place = read_address(address)
    bucket = open_bucket(place, patient=True)
    publish(bucket, place, folder, begin(bucket, place))


@pytest.fixture
def address(soc_words: Path, tmp_path: Path) -> str:
    """A shared index of the little system."""
    shared = f"file://{tmp_path}/bucket"
    send(shared, soc_words / ".hdlgraph")
    return shared


@pytest.fixture
def checkout(soc: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without an index, and the working folder below it; its times are its own."""
    for path in soc.rglob("*.sv"):
        path.touch()
    monkeypatch.chdir(soc / "rtl")
    return soc


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    """Returns exit code, the JSON object and what stands on stderr of a command."""
    code = run([*arguments, "--json"])
    shown = capsys.readouterr()
    return code, json.loads(shown.out) if shown.out else None, shown.err


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[0])
def test_commands_answer_as_from_an_index_of_their_own(
    query: list[str],
    address: str,
    checkout: Path,
    soc_words: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, found, _ = ask(capsys, *query, "--index", address)
    assert code == 0
    code, own, _ = ask(capsys, *query, "--index", str(soc_words))
    for one in (found, own):
        one.pop("seconds", None)
    shown = json.dumps(found).replace(str(checkout), "ROOT")
    assert shown == json.dumps(own).replace(str(soc_words), "ROOT")


def test_a_second_question_asks_the_bucket_for_the_pointer_alone(
    address: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del checkout
    assert run(["who", "uart_rx", "--index", address]) == 0
    bucket = Path(read_address(address).prefix)
    for folder in ("objects", "generations"):
        shutil.rmtree(bucket / folder)
    assert run(["who", "uart_rx", "--index", address]) == 0
    assert "note" not in capsys.readouterr().err


def test_without_a_bucket_what_was_fetched_answers(
    address: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del checkout
    assert run(["search", "uart receiver", "--index", address]) == 0
    shutil.rmtree(read_address(address).prefix)
    capsys.readouterr()
    assert run(["search", "uart receiver", "--index", address]) == 0
    told = capsys.readouterr().err
    line = f"index {address}: there is no such folder: the generation that was fetched before"
    assert told.count(line) == 1


def test_the_doctor_says_whether_the_bucket_answers(address: str, checkout: Path) -> None:
    del checkout
    shared = Project.open(address).shared
    assert shared is not None
    (check,) = shared.checks()
    assert (check["state"], check["remedy"]) == ("ok", "")
    assert check["detail"] == f"{address}, kept in {shared.place.index}"
    shutil.rmtree(read_address(address).prefix)
    (check,) = shared.checks()
    assert check["state"] == "warn"
    assert "there is no such folder" in check["detail"]


def test_nothing_was_ever_fetched(
    tmp_path: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del checkout
    assert run(["search", "uart", "--index", f"file://{tmp_path}/none"]) == 1
    assert "there is no such folder" in capsys.readouterr().err


def test_an_edited_checkout_is_told_and_not_quoted(
    address: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = checkout / "rtl" / "uart_tx.sv"
    edited.write_text("// other lines\n" + edited.read_text())
    (checkout / "rtl" / "brand_new.sv").write_text("module brand_new; endmodule\n")
    for _ in range(2):  # the second knows the other files by their times
        code, found, _ = ask(capsys, "who", "uart_tx", "--index", address)
        assert code == 0
        assert found["stale"]["changed"] == ["rtl/uart_tx.sv"]
        assert found["stale"]["added"] == ["rtl/brand_new.sv"]
        assert f"the checkout {checkout} is not what {address} was made from" in found["notes"][0]
    code, found, _ = ask(capsys, "read", "rtl/uart_rx.sv:1-2", "--index", address)
    assert code == 0
    assert found["lines"]["1"] == (checkout / "rtl" / "uart_rx.sv").read_text().splitlines()[0]
    code, _, told = ask(capsys, "read", "rtl/uart_tx.sv", "--index", address)
    assert code == 2
    assert f"check out what {address} was made from" in told


def test_a_reader_without_a_checkout_is_told(
    address: str,
    tmp_path: Path,
    soc: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    code, found, _ = ask(capsys, "search", "uart receiver", "--index", address)
    assert code == 0
    assert found["hits"][0]["path"] == "rtl/uart_rx.sv"
    assert any("no checkout of the repository" in note for note in found["notes"])
    monkeypatch.setenv("HDLGRAPH_CHECKOUT", f"{tmp_path}:{soc}")
    code, found, _ = ask(capsys, "search", "uart receiver", "--index", address)
    assert not any("checkout" in note for note in found["notes"])
    monkeypatch.setenv("HDLGRAPH_CHECKOUT", str(tmp_path / "elsewhere"))
    assert Project.open(address).root != tmp_path / "elsewhere"  # another repository's
    monkeypatch.setenv("HDLGRAPH_CHECKOUT", str(tmp_path / "none"))
    code, _, told = ask(capsys, "search", "uart receiver", "--index", address)
    assert (code, "is no folder" in told) == (2, True)


def test_an_index_names_no_folder_of_a_reader(
    address: str, tmp_path: Path, soc_words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    project = Project.open(address)
    assert project.root != soc_words  # which is where it was made
    assert project.source_text("rtl/uart_rx.sv") == ""


def test_only_files_with_the_indexed_content_are_read(address: str, checkout: Path) -> None:
    project = Project.open(address)
    assert project.root == checkout
    assert project.source_text("rtl/uart_rx.sv")
    (checkout / "rtl" / "uart_rx.sv").write_text("a secret of the reader's\n")
    assert project.source_text("rtl/uart_rx.sv") == ""


def test_a_server_takes_a_new_generation(address: str, indexed_soc: Path) -> None:
    server = Resident.open(address)
    server.warm()
    assert server.manifest().files.keys() >= {"rtl/uart_rx.sv"}
    first = server.generation()
    (indexed_soc / "rtl" / "late.sv").write_text("module late_unit; endmodule\n")
    Project(indexed_soc).index(embeddings=False, graphrag="never", jobs=1)
    send(address, indexed_soc / ".hdlgraph")
    deadline = time.monotonic() + 30
    while server.generation() == first and time.monotonic() < deadline:
        server._looked = 0.0
        time.sleep(0.05)
    assert "rtl/late.sv" in server.manifest().files


def test_one_call_makes_and_publishes(
    tmp_path: Path, soc: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = f"file://{tmp_path}/made"
    making = ["index", str(soc), "--index", shared, "--no-embeddings", "-j", "1"]
    assert run(making) == 0
    assert f"{shared}: published generation 1, " in capsys.readouterr().err
    assert not (soc / ".hdlgraph").exists()
    assert run(making) == 0
    assert "generation 1 has this index already; nothing was sent" in capsys.readouterr().err
    edited = soc / "rtl" / "uart_tx.sv"
    edited.write_text(edited.read_text().replace("endmodule", "// end\nendmodule"))
    monkeypatch.chdir(soc)
    assert run(["index", ".", "--check", "--index", shared, "--no-embeddings"]) == 3
    capsys.readouterr()
    assert run(making) == 0
    assert "published generation 2, " in capsys.readouterr().err
    assert run(["index", ".", "--check", "--index", shared, "--no-embeddings"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("HDLGRAPH_SHARED_SECONDS", "1000")
    code, found, _ = ask(capsys, "status", "--index", shared)
    assert (code, found["index"], found["notes"]) == (0, shared, [])
    assert not any(found["stale"].values())
    # What was just published is seen at once by who published it.
    edited.write_text(edited.read_text().replace("// end", "// the end"))
    assert run(making) == 0
    capsys.readouterr()
    code, found, _ = ask(capsys, "status", "--index", shared)
    assert not any(found["stale"].values())


def test_a_bucket_through_the_commands(
    s3_address: str, soc: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(soc)
    assert run(["index", ".", "--index", s3_address, "--no-embeddings", "-j", "1"]) == 0
    shown = capsys.readouterr()
    assert f"{s3_address}: published generation 1, " in shown.err
    code, found, told = ask(capsys, "search", "uart receiver", "--index", s3_address)
    assert (code, found["hits"][0]["path"]) == (0, "rtl/uart_rx.sv")
    assert found["hits"][0]["lines"]
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    assert run(["who", "uart_rx", "--index", s3_address]) == 0
    refused = capsys.readouterr().err
    assert refused.count("the environment has no credentials") == 1
    for text in (shown.out, shown.err, told, refused):
        assert KEY not in text
        assert SECRET not in text


def test_a_shared_index_is_not_watched(address: str, soc: Path) -> None:
    with pytest.raises(UsageError, match="is not kept in step with the files of one machine"):
        Project(soc, address).watch()


def test_a_repository_names_no_bucket(soc: Path) -> None:
    assert not any("index" in one or "shared" in one for one in Settings.__dataclass_fields__)
    (soc / "settings.yaml").write_text("hdlgraph:\n  index: s3://bucket/soc\n")
    with pytest.raises(SettingsError, match="index"):
        Project(soc).settings


def test_servers_for_agents_name_addresses(address: str, checkout: Path) -> None:
    given = Path("s3://team-bucket/soc")
    assert arguments_of(["chip=s3://team-bucket/chip"], [given]) == [
        "chip=s3://team-bucket/chip",
        *("--index", "s3://team-bucket/soc"),
    ]
    (name,) = repositories_of([], [given])
    assert name == "soc"
    (kept,) = repositories_of([f"soc={address}"], []).values()
    found = kept.run(lambda project: (project.root, project.search("uart receiver").hits[0].path))
    assert found == (checkout, "rtl/uart_rx.sv")
