"""What models wrote, on disk: which explanation counts, what waits, what survives damage."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.explain.by_model.kept import (
    FIRST,
    ModelExplanation,
    add_kept,
    fingerprint,
    given,
    pending,
    plain,
    read_kept,
)
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.settings.options import with_models
from hdlgraph.settings.records import ExplainSettings, Settings
from hdlgraph.store.explanations import read_jsonl

NOW, BEFORE = "ab" * 32, "cd" * 32


def written(path: str, sha256: str = NOW, purpose: str = "Counts.") -> ModelExplanation:
    return ModelExplanation(
        path=path, purpose=purpose, sha256=sha256, model="m", names=3, invented=("x",)
    )


def record(path: str, sha256: str = NOW) -> FileRecord:
    return FileRecord(path, sha256, "rtl", "verilog", 1, 1, "utf-8")


def test_what_is_added_reads_back_sorted_and_the_newer_one_counts(tmp_path: Path) -> None:
    target = tmp_path / FIRST
    add_kept(target, [written("b.v"), written("a.v")])
    add_kept(target, [written("b.v", purpose="Waits.")])
    found = read_kept(target)
    assert list(found) == ["a.v", "b.v"]
    assert found["b.v"].purpose == "Waits."
    assert (found["a.v"].names, found["a.v"].invented) == (3, ("x",))
    assert [path.name for path in tmp_path.iterdir()] == [FIRST]


def test_a_written_file_may_be_imported_elsewhere(tmp_path: Path) -> None:
    add_kept(tmp_path / FIRST, [written("a.v")])
    assert read_jsonl(tmp_path / FIRST)["a.v"] == plain(written("a.v"))


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    target = tmp_path / FIRST
    good = msgspec.json.encode(written("a.v"))
    target.write_bytes(b'{"path": "b.v"\n' + good + b'\n\xff\xfe\n{"path":5,"purpose":"x"}\n')
    assert list(read_kept(target)) == ["a.v"]
    assert read_kept(tmp_path / "none.jsonl") == {}


def test_the_first_source_that_fits_the_content_counts() -> None:
    records = [record("a.v"), record("b.v"), record("c.v")]
    imported = {"a.v": Explanation(path="a.v", purpose="I.", sha256=NOW, model="imported")}
    first = {"a.v": written("a.v"), "b.v": written("b.v"), "c.v": written("c.v", BEFORE)}
    found = given(records, imported, first)
    assert {path: item.model for path, item in found.items()} == {"a.v": "imported", "b.v": "m"}
    assert pending({r.path: r.sha256 for r in records}, imported, first) == ("c.v",)


def test_an_explanation_loses_what_only_its_writer_tells() -> None:
    item = plain(written("a.v"))
    assert type(item) is Explanation
    assert b"invented" not in msgspec.json.encode(item)
    assert plain(item) is item


def test_the_fingerprint_tells_content_and_file_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert fingerprint(one, two) == ""
    one.write_bytes(b"x")
    first = fingerprint(one, two)
    assert len(first) == 16
    assert first == fingerprint(two, one) == fingerprint(one)
    one.rename(two)
    assert fingerprint(one, two) != first


@pytest.mark.parametrize(
    ("settings", "wishes", "outcome"),
    [
        (ExplainSettings(), (None, None), ("deterministic", False)),
        (ExplainSettings(), ("model", None), ("model", False)),
        (ExplainSettings(), (None, True), ("model", True)),
        (ExplainSettings("model", True), (None, None), ("model", True)),
        (ExplainSettings("model", True), (None, False), ("model", False)),
        (ExplainSettings("model", True), ("deterministic", None), ("deterministic", False)),
        (ExplainSettings("deterministic", True), (None, None), ("deterministic", False)),
    ],
)
def test_wishes_of_one_call_count_before_the_settings(
    settings: ExplainSettings, wishes: tuple[str | None, bool | None], outcome: tuple[str, bool]
) -> None:
    explain = with_models(Settings(explain=settings), *wishes, None).explain
    assert (explain.explainer, explain.neighbours) == outcome


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (("deterministic", True, None), "--neighbours"),
        (("magic", None, None), "explain magic"),
        ((None, None, "magic"), "extract magic"),
    ],
)
def test_wishes_that_cannot_be_met_are_named(
    wishes: tuple[str | None, bool | None, str | None], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        with_models(Settings(), *wishes)
