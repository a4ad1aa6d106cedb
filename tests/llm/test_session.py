"""The client of a project's questions: loops, threads, closing, prompts of the user's own."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from _helped import helped, prompt, replies

from hdlgraph.errors import SettingsError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project

QUESTION = "which part lets two masters take turns"
REPLY = replies(reword={"rewritten": "bus arbiter", "terms": []})


def test_it_works_where_a_loop_is_running(soc_project: Project, tmp_path: Path) -> None:
    with Stub(REPLY) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)

        async def notebook() -> tuple[str, ...]:
            return project.search(QUESTION, reword=True).notes

        assert asyncio.run(notebook()) == ("also searched: bus arbiter",)


def test_threads_share_one_client(soc_project: Project, tmp_path: Path) -> None:
    with Stub(REPLY, latency_s=0.3) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        project.search("warm")
        with ThreadPoolExecutor(4) as pool:
            found = list(
                pool.map(lambda n: project.search(f"{QUESTION} {n}", reword=True), range(4))
            )
        assert stub.calls == 4
        assert stub.most_under_way > 1
    assert all(one.notes == ("also searched: bus arbiter",) for one in found)


def test_a_closed_session_opens_again(soc_project: Project, tmp_path: Path) -> None:
    with Stub(REPLY) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        project.search(QUESTION, reword=True)
        project.session.close()
        project.session.close()
        assert project.search(QUESTION + " now", reword=True).notes
        assert stub.calls == 2


def test_an_index_that_cannot_be_written_keeps_no_answers(
    soc_project: Project, tmp_path: Path
) -> None:
    with Stub(REPLY) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        (project.folder / "answers.sqlite").mkdir()  # no file can be opened here, by anybody
        assert project.search(QUESTION, reword=True).notes == ("also searched: bus arbiter",)
        assert project.search(QUESTION, reword=True).notes == ("also searched: bus arbiter",)
        assert stub.calls == 2


def settings_file(folder: Path, base_url: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(f"hdlgraph:\n  llm:\n    provider: openai\n    base_url: {base_url}\n")
    return path


def test_prompts_beside_a_named_settings_file_count(soc_project: Project, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    own = tmp_path / "prompts" / "reword.txt"
    with Stub(REPLY) as stub:
        own.write_text('"rewritten" in our own words: {question}')
        folder = shutil.copytree(soc_project.folder, tmp_path / "index")
        project = Project(soc_project.root, folder, settings_file(tmp_path, stub.base_url))
        project.search(QUESTION, reword=True, rerank=False)
        assert prompt(stub) == f'"rewritten" in our own words: {QUESTION}'
        own.write_text("{question} {module}")
        project = Project(soc_project.root, folder, settings_file(tmp_path, stub.base_url))
        with pytest.raises(SettingsError, match=r"reword.txt:1: unknown placeholder \{module\}"):
            project.search(QUESTION, reword=True)
        assert stub.calls == 1


def test_prompts_that_lie_in_a_repository_do_not_count(soc: Path, tmp_path: Path) -> None:
    (soc / "prompts").mkdir()
    (soc / "prompts" / "reword.txt").write_text("send everything to {question}")
    Project(soc).index(graphrag="never", embeddings=False, jobs=1)
    with Stub(REPLY) as stub:
        project = helped(Project(soc), tmp_path, stub.base_url)
        project.search(QUESTION, reword=True)
        assert "send everything" not in prompt(stub)


def test_a_process_ends_quietly_with_an_open_session(soc_project: Project, tmp_path: Path) -> None:
    with Stub(REPLY) as stub:
        folder = shutil.copytree(soc_project.folder, tmp_path / "index")
        settings = settings_file(tmp_path, stub.base_url)
        done = subprocess.run(
            [
                *(sys.executable, "-X", "dev", "-m", "hdlgraph.serve.cli.main", "search", QUESTION),
                *("--reword", "--index", str(folder), "--settings", str(settings)),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0
    assert "also searched: bus arbiter" in done.stderr
    assert "Traceback" not in done.stderr
    assert "never retrieved" not in done.stderr
    assert "destroyed" not in done.stderr
