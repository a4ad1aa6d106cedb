"""Indexing with a model: what is asked, what is kept, what a later run asks again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from _bank import FILES, MODEL, explanation, index, settings, writers

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(explanation, retry_after_s=0.01) as server:
        yield server


def test_every_file_is_explained_once_and_only_once(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    report = index(bank, file)
    assert (stub.calls, report.models.done["explain"], report.models.fallbacks) == (
        FILES,
        FILES,
        (),
    )
    assert writers(bank) == report.writers == {MODEL: FILES}
    told = Project(bank).explanations()["rtl/lane_07.v"]
    assert told.purpose.startswith("Written by a model for `lane_07`")
    assert "made_up_flag_q" not in told.to_text()
    generation = Project(bank).manifest().generation
    again = index(bank, file)
    assert (stub.calls, again.models.usage) == (FILES, ())
    assert Project(bank).manifest().generation == generation


def test_the_report_tells_usage_price_and_how_far_to_trust(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    report = index(bank, settings(tmp_path, stub))
    (usage,) = report.models.usage
    assert (usage.stage, usage.calls, usage.failed) == ("explain", FILES, 0)
    assert (usage.input_tokens, usage.output_tokens) == (stub.input_tokens, stub.output_tokens)
    cost = (stub.input_tokens * 1.0 + stub.output_tokens * 4.0) / 1e6
    assert report.models.cost == pytest.approx(cost)
    (trust,) = report.trust
    assert (trust.model, trust.files, trust.names, trust.invented) == (MODEL, FILES, 40, 20)
    assert trust.rate == 0.5
    assert "hallucin" not in json.dumps(report.to_dict())  # plain words


def test_only_an_edited_file_is_paid_again(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text().replace("assign b = a", "assign b = ~a"))
    (bank / "rtl/lane_09.v").rename(bank / "rtl/lane_moved.v")
    report = index(bank, file)
    assert stub.calls == FILES + 1
    assert "~a" in stub.requests[-1]["messages"][-1]["content"]
    assert (report.models.done["explain"], report.models.usage[0].stored) == (2, 1)
    assert writers(bank) == {MODEL: FILES}


def test_a_run_without_the_switch_keeps_what_was_written(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    index(bank, settings(tmp_path, stub))
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text() + "// Later.\n")
    plain = Project(bank)
    report = plain.index(embeddings=False, graphrag="never", jobs=1)
    assert report.writers == {"deterministic": 1, MODEL: FILES - 1}
    assert report.models.pending == {"explain": 1}
    assert plain.index(
        embeddings=False, graphrag="never", explain="deterministic", jobs=1
    ).writers == {"deterministic": FILES}
    assert plain.index(embeddings=False, graphrag="never", jobs=1).writers[MODEL] == FILES - 1
    assert stub.calls == FILES


def test_imported_explanations_are_not_asked_for(bank: Path, tmp_path: Path, stub: Stub) -> None:
    plain = Project(bank)
    plain.index(embeddings=False, graphrag="never", jobs=1)
    one = next(iter(plain.explanations().values()))
    shared = tmp_path / "shared.jsonl"
    line = {"path": one.path, "sha256": one.sha256, "purpose": "By the team.", "model": "m"}
    shared.write_text(json.dumps(line) + "\n")
    plain.import_explanations(shared)
    report = index(bank, settings(tmp_path, stub))
    assert report.writers == {"imported": 1, MODEL: FILES - 1}
    assert stub.calls == FILES - 1
    assert plain.explanations()[one.path].purpose == "By the team."


def test_fresh_asks_again_and_pays_nothing_for_the_same(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    report = index(bank, file, fresh=True)
    assert stub.calls == FILES
    assert (report.models.usage[0].calls, report.models.usage[0].stored) == (0, FILES)
    assert index(bank, file, fresh=True, explain=None).writers == {"deterministic": FILES}
    assert index(bank, file, explain=None).writers == {MODEL: FILES}


def test_the_second_pass_rewrites_with_the_neighbours(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    report = index(bank, file, neighbours=True)
    assert stub.calls == FILES + 4  # of the chain of four, the others have no neighbours
    assert report.models.done["neighbours"] == 4
    assert report.models.pending == {"explain": 0, "neighbours": 0}
    index(bank, file, neighbours=True)
    assert stub.calls == FILES + 4


def test_concepts_are_kept_for_runs_that_do_not_ask(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    report = index(bank, file, extract="both")
    assert (report.models.done["extract"], stub.calls) == (FILES, FILES + 3)
    names = {node.name for node in Project(bank).graph().nodes if node.origin == "llm"}
    assert names == {"lane control"}
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text() + "// Later.\n")
    plain = Project(bank)
    plain.index(embeddings=False, graphrag="never", jobs=1)
    assert "lane control" in {node.name for node in plain.graph().nodes}
    plain.index(embeddings=False, graphrag="never", extract="ast", jobs=1)
    assert "lane control" not in {node.name for node in plain.graph().nodes}
    assert stub.calls == FILES + 3
