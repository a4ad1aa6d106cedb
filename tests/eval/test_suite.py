"""The suite end to end on the little system: corpora, indexes, run files, pages, comparisons."""

import json
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import HdlgraphError, QuestionsError, UsageError
from hdlgraph.eval.protocols import suite as suites
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.protocols.suite import RUNS, PlannedRun, run_suite, suite_systems
from hdlgraph.eval.scores.pool import against_all, pool, pools
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.systems.registry import SYSTEMS
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.store.manifest import read_manifest, write_manifest

ASKED = [
    {"id": "1", "question": "round robin between hosts", "relevant": ["rtl/bus_arbiter.sv"]},
    {"id": "2", "question": "missing stop bit", "relevant": ["rtl/uart_rx.sv"], "kind": "signal"},
]


def made(top, relevant=("a",), names=("bm25", "hdlgraph"), name="r"):
    """Returns a run file with one question a ranking in `top`, which maps systems to them."""
    asked = [{"id": str(n), "relevant": list(relevant)} for n in range(len(top[names[0]]))]
    systems = [
        {
            "name": system,
            "questions": [{"id": str(n), "top": paths} for n, paths in enumerate(top[system])],
        }
        for system in names
    ]
    return {"name": name, "systems": systems, "asked": asked}


def test_pool_counts_over_all_runs():
    right, wrong = ["a", "b"], ["b", "a"]
    one = made({"hdlgraph": [right] * 3, "bm25": [right, wrong, wrong]})
    two = made({"hdlgraph": [wrong, right], "bm25": [right, right]})
    found = pool([one, two], "hdlgraph", "bm25")
    assert (found["n"], found["wins"], found["losses"]) == (5, 2, 1)
    assert found["difference"] == pytest.approx(1 / 5)
    assert found["low"] < 0 < found["high"]
    assert found["p"] > 0.3
    assert pool([one, two], "hdlgraph", "bm25", k=2)["difference"] == 0
    other = pool([one, two], "bm25", "hdlgraph")
    assert other["difference"] == -found["difference"]


def test_pools_are_of_two_runs_that_have_the_leader():
    top = {"hdlgraph": [["a"]] * 3, "bm25": [["a"], ["b", "a"], ["b", "a"]]}
    runs = [made(top, name=name) | {"pool": "both"} for name in ("x", "y")]
    alone = made(top, name="z") | {"pool": "one"}
    bare = [made({"bm25": [["a"]]}, names=("bm25",)) | {"pool": "bare"} for _ in range(2)]
    found = pools([runs[0], alone, *bare, runs[1], made(top) | {"pool": ""}], "hdlgraph", (1, 2))
    assert list(found) == ["both"]
    both = found["both"]
    assert both.runs == ("x", "y")
    assert both.means == {"hdlgraph": {1: 1, 2: 1}, "bm25": {1: pytest.approx(1 / 3), 2: 1}}
    text = both.to_text("both")
    assert "== both: x + y, 6 questions ==\nhdlgraph: recall @1 1.000, @2 1.000" in text
    assert "bm25" in text
    assert "+66.7" in text
    assert "variants" not in text


def test_pool_of_a_clear_difference():
    run = made({"hdlgraph": [["a"]] * 20, "bm25": [["b"]] * 20})
    found = pool([run], "hdlgraph", "bm25")
    assert (found["difference"], found["low"], found["high"]) == (1, 1, 1)
    assert found["p"] < 0.001


def test_pool_names_what_is_missing():
    run = made({"bm25": [["a"]], "tfidf": [["a"]]}, names=("bm25", "tfidf"), name="ot")
    with pytest.raises(UsageError, match=r"run ot: has no system hdlgraph \(there are bm25, tfidf"):
        pool([run], "hdlgraph", "bm25")
    with pytest.raises(UsageError, match="no run"):
        pool([], "a", "b")
    with pytest.raises(UsageError, match="k is 11"):
        pool([run], "bm25", "tfidf", k=11)
    assert against_all([run], "hdlgraph") == {}


def test_the_suite_is_data_with_provenance():
    assert list(RUNS) == [
        "opentitan-2021",
        "riscv-cores",
        "opentitan-2021-written",
        "riscv-cores-written",
        "abbreviations",
        "aspects",
        "opentitan-training",
        "riscv-cores-training",
        "libraries-training",
        "cv32e40s-training",
        "marocchino-training",
        "libraries-held-out",
        "cv32e40x-held-out",
    ]
    for one in RUNS.values():
        assert one.provenance
        assert one.licence == "Apache-2.0"
        asked = read_questions(one.set)
        if one.imported is not None:
            sample = one.candidates()
            assert len(sample) in (145, 155)
            assert {path for q in asked for path in q.relevant} <= set(sample)
    assert Counter(one.pool for one in RUNS.values() if one.pool) == {
        "development": 2,
        "further": 2,
        "other-repositories": 3,
        "held-out": 2,
    }


def test_systems_of_the_suite_need_no_language_model():
    found = suite_systems()
    assert {"bm25", "tfidf-embedding", "minmax", "hdlgraph", "hdlgraph-h0"} <= set(found)
    assert set(SYSTEMS) - set(found) == {
        "hdlgraph-reword",
        "hdlgraph-decompose",
        "hdlgraph-rerank",
    }


@pytest.fixture
def little(soc, soc_words, tmp_path, monkeypatch):
    """Two pooled runs and one with imported explanations, over the little system."""
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, ASKED)))
    Project(soc_words).export_explanations(tmp_path / "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    wanted = ["rtl/bus_arbiter.sv", "rtl/uart_rx.sv", "rtl/uart.sv"]
    kept = [row for row in rows if row["path"] in wanted]
    for row in kept:
        row.pop("model")
        row["purpose"] = f"Written by someone who read {row['path']}."
    (tmp_path / "some.jsonl").write_text("\n".join(map(json.dumps, kept)))

    def one(index, explanations, pool):
        return PlannedRun("q.jsonl", "soc", index, explanations, pool, "made up", "Apache-2.0")

    runs = {"a": one("soc", "", "both"), "b": one("soc", "", "both")}
    runs["w"] = one("soc-written", "some.jsonl", "")
    monkeypatch.setattr(suites, "RUNS", runs)
    monkeypatch.setattr(suites, "DATA", tmp_path)
    monkeypatch.setattr(suites, "materialise", lambda name, cache=None: soc)
    (soc / "settings.yaml").write_text("hdlgraph:\n  embedding:\n    provider: none\n")
    return tmp_path


def test_a_suite_writes_everything(little):
    out, cache = little / "out", little / "cache"
    found = run_suite((), out, ["bm25", "hdlgraph"], cache=cache, isolate=False)
    data = json.loads((out / "a.json").read_text())
    assert (data["schema"], data["name"], data["n_questions"]) == (2, "a", 2)
    assert sorted(p.name for p in (out / "a").iterdir()) == [
        "qrels-lenient.txt",
        "qrels.txt",
        "run-bm25.txt",
        "run-hdlgraph.txt",
    ]
    assert found.page.read_text().startswith("<!")
    assert found.page == out / "report.html"
    assert found.reports["a"].explanations == "deterministic"
    assert sorted(p.name for p in (cache / "eval").iterdir()) == ["soc", "soc-written"]
    written = found.reports["w"]
    assert (written.explanations, written.n_files, written.restricted) == ("written", 3, True)
    pooled = json.loads((out / "pooled.json").read_text())
    assert list(pooled) == ["both"]
    assert pooled["both"]["runs"] == ["a", "b"]
    assert pooled == found.to_dict()["pools"]
    assert pooled["both"]["hdlgraph"]["bm25"]["n"] == 4
    measured = {system["name"]: system["measures"] for system in data["systems"]}
    for name, means in pooled["both"]["means"].items():  # both runs are of one set and index
        assert means["recall@1"] == pytest.approx(measured[name]["recall@1"]["mean"], abs=1e-4)
    text = found.to_text()
    assert "== both: a + b, 4 questions ==" in text
    assert "== w ==" in text
    again = run_suite(["a"], out, ["bm25"], cache=cache, isolate=False)
    assert again.pools == {}
    assert again.written == (out / "a.json",)
    generation = Project.open(cache / "eval" / "soc").manifest().generation
    run_suite(["a"], out, ["bm25"], cache=cache, isolate=False)
    assert Project.open(cache / "eval" / "soc").manifest().generation == generation


@pytest.fixture
def indexed_in(soc_words):
    """Puts an index by words of a root into a folder outside it; it is a copy, with its root."""

    def put(folder: Path, root: Path) -> None:
        shutil.copytree(soc_words / ".hdlgraph", folder)
        write_manifest(folder, msgspec.structs.replace(read_manifest(folder), root=str(root)))

    return put


def test_a_suite_takes_indexes_as_they_are(little, soc, indexed_in):
    folder = little / "mine"
    indexed_in(folder, soc)
    before = (folder / "manifest.json").read_bytes()
    run_suite(["a"], little / "out", ["bm25"], indexes={"a": folder}, isolate=False)
    assert (folder / "manifest.json").read_bytes() == before
    with pytest.raises(UsageError, match=r"mine: 3 files, rtl/bus_arbiter.sv for one, lack an imp"):
        run_suite(["w"], little / "out", ["bm25"], indexes={"w": folder}, isolate=False)


def test_an_index_of_another_corpus_is_refused(little, soc):
    root = little / "corpora" / "riscv-cores"
    shutil.copytree(soc, root)
    Project(root, little / "other").index(embeddings=False, graphrag="never", jobs=1)
    with pytest.raises(UsageError, match="other: holds riscv-cores, but the run a asks about soc"):
        run_suite(["a"], little / "out", ["bm25"], indexes={"a": little / "other"})
    (little / "ot.jsonl").write_text(json.dumps({**ASKED[0], "corpus": "opentitan"}))
    with pytest.raises(QuestionsError, match=r"ot.jsonl:1: 1: \"corpus\" is opentitan, but"):
        evaluate(little / "other", little / "ot.jsonl", ["bm25"])


@pytest.mark.parametrize(
    ("names", "more", "says"),
    [
        (["c"], {}, "run c: not in the suite; known are a, b, w"),
        (["a"], {"indexes": {"z": "x"}}, "run z: not in the suite"),
        (["a"], {"indexes": {"b": "x"}}, "index of b: that run was not asked for"),
        (["a"], {"systems": ["bm52"]}, "did you mean bm25"),
    ],
)
def test_wrong_use_of_a_suite(little, names, more, says):
    with pytest.raises(UsageError, match=says):
        run_suite(names, little / "out", **more)


def test_what_cannot_run_is_told_and_the_rest_goes_on(little, soc, indexed_in):
    indexed_in(little / "mine", soc)
    found = evaluate(
        Project(soc, little / "mine"),
        little / "q.jsonl",
        ["bm25", "embedding"],
        forgiving=["embedding"],
        cache=little / "cache",
    )
    assert [result.name for result in found.systems] == ["bm25"]
    assert found.to_dict()["skipped"][0]["name"] == "embedding"
    assert "not run: embedding: systems with embeddings need a model" in found.to_text()


def test_a_process_of_its_own_gives_the_same_rankings_and_its_memory(soc_project, tmp_path):
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, ASKED)))
    names, steps = ["bm25", "hdlgraph"], []
    here = evaluate(soc_project, tmp_path / "q.jsonl", names, cache=tmp_path)
    alone = evaluate(
        *(soc_project, tmp_path / "q.jsonl", names),
        cache=tmp_path,
        isolate=True,
        progress=lambda *step: steps.append(step),
    )
    assert steps[-1] == ("hdlgraph", 2, 2)
    for name in names:
        mine, other = here.system(name), alone.system(name)
        assert mine.memory_mb is None
        assert 20 < other.memory_mb < 4000
        assert [r.paths for r in mine.rankings] == [r.paths for r in other.rankings]
        assert [r.reasons for r in mine.rankings] == [r.reasons for r in other.rankings]
    # The model of the embeddings is loaded in one of the two alone.
    assert alone.system("hdlgraph").memory_mb > alone.system("bm25").memory_mb


def test_an_error_in_the_other_process_is_the_same_error(little, soc, indexed_in):
    indexed_in(little / "mine", soc)
    with pytest.raises(UsageError, match=r"need a model, but `hdlgraph.embedding.provider`"):
        evaluate(
            *(Project(soc, little / "mine"), little / "q.jsonl", ["embedding"]),
            cache=little / "cache",
            isolate=True,
        )


def test_evidence_stands_beside_the_first_and_the_right_file(soc_project, tmp_path):
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, ASKED)))
    names = ["bm25", "hdlgraph"]
    found = evaluate(soc_project, tmp_path / "q.jsonl", names, cache=tmp_path).to_dict()
    bm25, ours = found["systems"]
    assert all("evidence" not in question for question in bm25["questions"])
    question = ours["questions"][0]
    assert {question["top"][0], "rtl/bus_arbiter.sv"} == set(question["evidence"])
    reason = question["evidence"]["rtl/bus_arbiter.sv"][0]
    assert set(reason) == {"kind", "path", "line", "text"}
    assert reason["line"] >= 1
    assert found["asked"][1]["kind"] == "signal"
    assert found["asked"][1]["role"] == "rtl"
    assert ours["by_kind"] == {"signal": {"n": 1, **_ones(found["ks"])}}
    assert ours["by_role"]["rtl"]["n"] == 2
    assert ours["p50_seconds"] <= ours["p99_seconds"]
    assert ours["unit"]["n"] == 2
    assert 0 < ours["subgraph"]["h1"]["coverage@1"] < 1


def _ones(ks):
    return {**{f"recall@{k}": 1.0 for k in ks}, "mrr": 1.0}


def test_a_process_that_is_killed_is_named(soc_project, tmp_path, monkeypatch):
    from hdlgraph.eval.protocols import ask

    monkeypatch.setattr(ask, "_work", _die)
    (tmp_path / "q.jsonl").write_text(json.dumps(ASKED[0]))
    with pytest.raises(HdlgraphError, match="system bm25: its process ended with 7 and no result"):
        evaluate(soc_project, tmp_path / "q.jsonl", ["bm25"], cache=tmp_path, isolate=True)


def _die(*_):
    import os

    os._exit(7)


def test_the_commands(little, soc, indexed_in, capsys):
    at = ["--index", str(little / "mine")]
    indexed_in(little / "mine", soc)
    asked = str(little / "q.jsonl")
    file = little / "run.json"
    assert run(["eval", "run", asked, *at, "--systems", "bm25,hdlgraph", "--out", str(file)]) == 0
    assert "recall@1" in capsys.readouterr().out
    assert run(["eval", *at, "--systems", "bm25", asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "q"
    assert run(["eval", "report", str(file), "--out", str(little / "p.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"].endswith("p.html")
    named = ["--index", f"a={little / 'mine'}", "--out", str(little / "o"), "--systems", "bm25"]
    assert run(["eval", "suite", "a", *named, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"]["a"]["n_questions"] == 2
    assert run(["eval", "suite", "a", "--index", "mine"]) == 2
    assert "--index mine: write NAME=DIR" in capsys.readouterr().err
    assert run(["eval", "corpora", "nowhere"]) == 2
    assert "corpus nowhere: unknown" in capsys.readouterr().err
    assert run(["eval", "sute"]) == 2
    assert "Did you mean 'suite'" in capsys.readouterr().err
    assert run(["eval"]) == 2
    assert "QUESTIONS.jsonl" in capsys.readouterr().err


def test_a_file_named_like_a_command_can_still_be_asked(
    little, soc, indexed_in, capsys, monkeypatch
):
    indexed_in(little / "mine", soc)
    monkeypatch.chdir(little)
    shutil.copy("q.jsonl", "suites")
    assert run(["eval", "suites", "--index", "mine", "--systems", "bm25", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == "suites"
