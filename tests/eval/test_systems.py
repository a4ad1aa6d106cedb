import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from hdlgraph.errors import IndexMissingError, QuestionsError, UsageError
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.scores.trec import write_trec
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.eval.systems.baselines import Bm25, MinMaxSum, TfIdf, min_max
from hdlgraph.eval.systems.registry import SYSTEMS, Corpus, check_systems, make_system
from hdlgraph.eval.systems.texts import content_parts, plain_words, read_code, stemmed_parts
from hdlgraph.project import Project
from hdlgraph.settings.records import LlmSettings, Settings

FILES = {
    "rtl/uart_tx.sv": "// Sends bytes on the serial line.\nmodule uart_tx(input clk_i,"
    " output tx_o);\nendmodule\n",
    "rtl/uart_rx.sv": "// Samples the serial line and rebuilds bytes.\nmodule uart_rx(input clk_i,"
    " input rx_i);\nendmodule\n",
    "rtl/baud_gen.sv": "// Divides the clock for the bit rate.\nmodule baud_gen(input clk_i);\n"
    "endmodule\n",
    "rtl/uart_top.sv": "module uart_top(input clk_i);\n  uart_tx u_tx(.clk_i(clk_i));\n"
    "  uart_rx u_rx(.clk_i(clk_i));\n  baud_gen u_baud(.clk_i(clk_i));\nendmodule\n",
    "dv/tb.sv": "// Testbench.\nmodule tb;\n  uart_top dut();\nendmodule\n",
}
QUESTIONS = [
    {
        "id": "a",
        "question": "Where is the serial line sampled?",
        "de": "Wo wird abgetastet, rx?",
        "relevant": ["rtl/uart_rx.sv"],
        "equivalent": ["rtl/uart_top.sv"],
        "kind": "functional",
    },
    {
        "id": "b",
        "question": "What divides the clock?",
        "de": "baud_gen",
        "relevant": ["rtl/baud_gen.sv", "rtl/uart_top.sv"],
        "kind": "structural",
    },
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    root = tmp_path_factory.mktemp("uart")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    (root / "q.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    return root


@pytest.fixture(scope="module")
def report(home):
    names = ["bm25", "bm25-plain", "bm25:explanations", "tfidf", "hdlgraph-h0", "hdlgraph"]
    return evaluate(home, home / "q.jsonl", names, ks=(2, 1), cache=home / "cache")


def test_tokenisers():
    assert plain_words("u_tlAdapter = 8'hFF") == ["u_tladapter", "8", "hff"]
    assert stemmed_parts("u_tlAdapters AXIStream x2y") == "u tl adapt axi stream x 2 y".split()
    assert content_parts("Where is the clock divided?") == ["clock", "divid"]
    assert content_parts("which is it?") == ["which", "is", "it"]


def test_bm25_finds_split_identifiers_and_stands_unknown_words():
    scorer = Bm25(["fifoDepth_cfg", "arbiter tree", ""])
    assert scorer.scores("depth of the fifo").argmax() == 0
    assert not scorer.scores("zebra").any()
    assert not Bm25(["fifoDepth_cfg", "arbiter"], split=False).scores("depth").any()
    assert not Bm25(["", ""]).scores("depth").any()


def test_tfidf_and_sums():
    texts = ["counter counter counter", "counter reset", "arbiter"]
    scores = TfIdf(texts).scores("counter reset")
    assert list(np.argsort(-scores)) == [1, 0, 2]
    both = MinMaxSum(Bm25(texts), TfIdf(texts)).scores("counter reset")
    assert both[1] == pytest.approx(2)
    assert both[2] == 0
    assert not min_max(np.array([3.0, 3.0])).any()


def test_reading_stays_inside_the_root_and_knows_encodings(tmp_path):
    (tmp_path / "wide.v").write_text("module wide;", encoding="utf-16")
    (tmp_path / "old.v").write_bytes(b"// \xe4")
    assert read_code(tmp_path, ["wide.v", "old.v"]) == ["wide.v\nmodule wide;", "old.v\n// ä"]
    with pytest.raises(UsageError, match="lies outside"):
        read_code(tmp_path, ["../x.v"])
    with pytest.raises(UsageError, match="bring the index up to date"):
        read_code(tmp_path, ["gone.v"])


def test_every_system_ranks_every_candidate_once(report):
    for result in report.systems:
        for ranking in result.rankings:
            assert sorted(ranking.paths) == sorted(FILES), result.name
        assert len(result.ranks) == 2
    assert report.system("bm25").ranks == (1, 1)


def test_measures_of_a_report(report):
    bm25 = report.system("bm25")
    assert report.ks == (1, 2)
    assert bm25.measures["recall@1"].mean == pytest.approx(0.75)  # b has two relevant files
    assert bm25.measures["success@1"].mean == 1
    assert report.several_relevant
    assert "success@1" in report.to_text()
    assert bm25.by_kind["structural"]["recall@1"] == 0.5
    assert {(p.first, p.second) for p in report.pairs} >= {("hdlgraph", "bm25")}
    assert len(report.pairs) == 15


def test_json_of_a_report(report):
    found = json.loads(json.dumps(report.to_dict()))
    assert found["schema"] == 2
    assert (found["n_questions"], found["n_files"], found["restricted"]) == (2, 5, False)
    bm25 = found["systems"][0]
    assert bm25["name"] == "bm25"
    question = bm25["questions"][0]
    assert question.pop("seconds") >= 0
    assert question == {
        "id": "a",
        "rank": 1,
        "lenient_rank": 1,
        "top": list(report.system("bm25").rankings[0].paths),
    }
    assert bm25["measures"]["mrr"]["mean"] == 1
    assert found["pairs"][0]["by_rank"].keys() == {"wins", "losses", "ties"}


def test_a_corpus_list_restricts_all_systems(home):
    listed = home / "files.txt"
    listed.write_text("# sample\n\n./rtl/uart_rx.sv\nrtl/uart_top.sv\nrtl/baud_gen.sv\n")
    found = evaluate(
        home, home / "q.jsonl", ["bm25", "hdlgraph"], corpus=listed, cache=home / "cache"
    )
    assert found.n_files == 3
    assert found.restricted
    for result in found.systems:
        assert {len(r.paths) for r in result.rankings} == {3}
        assert all(p.startswith("rtl/") for r in result.rankings for p in r.paths)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("rtl/uart_rx.sv\nrtl/nope.sv\n", UsageError, "files.txt:2: rtl/nope.sv is not in the in"),
        ("# none\n", UsageError, "names no file"),
        ("rtl/uart_rx.sv\nrtl/uart_tx.sv\n", QuestionsError, "q.jsonl:2: b: relevant file rtl/b"),
    ],
)
def test_bad_corpus_lists(home, tmp_path, text, error, says):
    (tmp_path / "files.txt").write_text(text)
    with pytest.raises(error, match="(?s)" + says):
        evaluate(home, home / "q.jsonl", ["bm25"], corpus=tmp_path / "files.txt")


def test_another_field_of_the_questions(home):
    found = evaluate(home, home / "q.jsonl", ["bm25"], field="de")
    assert found.system("bm25").ranks == (1, 1)
    with pytest.raises(QuestionsError, match=r":1: \"fr\" is missing.*here: de, id, kind, quest"):
        evaluate(home, home / "q.jsonl", ["bm25"], field="fr")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["bm52"], "did you mean bm25"),
        (["x", "bm25:prose"], "system x: unknown; system bm25:prose: reads code or explanations"),
        (["hdlgraph:code"], "takes no text"),
        (["bm25", "bm25"], "named twice"),
        ([], "no system"),
    ],
)
def test_bad_system_names(names, says):
    with pytest.raises(UsageError, match=says):
        check_systems(names)


def test_bad_cutoffs_and_missing_index(home, tmp_path):
    with pytest.raises(UsageError, match="cutoff 0"):
        evaluate(home, home / "q.jsonl", ["bm25"], ks=[0])
    with pytest.raises(IndexMissingError):
        evaluate(tmp_path, home / "q.jsonl", ["bm25"])


def test_embedding_systems_rank_by_meaning_and_keep_their_vectors(home):
    corpus = Corpus(Project.open(home), tuple(sorted(FILES)), home / "vectors")
    for name in ("embedding", "tfidf-embedding", "minmax", "embedding:code"):
        ranked = make_system(name, corpus).rank("Where is the serial line sampled?", 5)
        assert sorted(ranked) == sorted(FILES)
    kept = sorted((home / "vectors").glob("*.npy"))
    assert len(kept) == 2  # explanations and code
    again = Corpus(Project.open(home), tuple(sorted(FILES)), home / "vectors")
    first = make_system("embedding", again).rank("bit rate", 5)
    assert first[0] == "rtl/baud_gen.sv"
    assert sorted((home / "vectors").glob("*.npy")) == kept


def test_trec_files(report, tmp_path):
    written = write_trec(report, tmp_path / "trec")
    assert [p.name for p in written][:4] == [
        "qrels.txt",
        "qrels-lenient.txt",
        "run-bm25.txt",
        "run-bm25-plain.txt",
    ]
    assert written[0].read_text().splitlines() == [
        "a 0 rtl/uart_rx.sv 1",
        "b 0 rtl/baud_gen.sv 1",
        "b 0 rtl/uart_top.sv 1",
    ]
    assert "a 0 rtl/uart_top.sv 1" in written[1].read_text()
    rows = [line.split() for line in written[2].read_text().splitlines()]
    assert len(rows) == 10
    assert rows[0] == ["a", "Q0", "rtl/uart_rx.sv", "1", "1.000000000", "bm25"]
    scores = [float(row[4]) for row in rows[:5]]
    assert scores == sorted(scores, reverse=True)


def test_the_registry_is_light_and_described():
    assert all(entry.about for entry in SYSTEMS.values())
    code = (
        "import sys, hdlgraph.eval.protocols.run, hdlgraph.eval.bench.bench; "
        "print([m for m in ('bm25s', 'sklearn', 'onnxruntime', 'graphrag') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


HELPED = ["hdlgraph-reword", "hdlgraph-decompose", "hdlgraph-rerank"]


def with_model(home, folder, base_url):
    shutil.copytree(home / ".hdlgraph", folder / "index")
    llm = LlmSettings(provider="openai", base_url=base_url, retries=0)
    return Project(home, folder / "index", Settings(llm=llm))


def helpful(body):
    text = body["messages"][-1]["content"]
    if "<card" in text:
        return {"order": [2, 1]}
    if '"block"' in text:
        return {"module": "", "block": "dividing a clock", "signal": ""}
    return {"rewritten": "sampling of the receive line", "terms": ["uart"]}


def test_help_of_a_model_is_measured(home, tmp_path):
    with Stub(helpful) as stub:
        project = with_model(home, tmp_path, stub.base_url)
        names = ["hdlgraph", *HELPED]
        first = evaluate(project, home / "q.jsonl", names, cache=home / "cache")
        assert stub.calls == 6  # no call for loading
        again = evaluate(project, home / "q.jsonl", names, cache=home / "cache")
        assert stub.calls == 6
    assert first.system("hdlgraph").model is None
    for name in HELPED:
        used = first.system(name).model
        assert (used.calls, used.stored, used.failed) == (2, 0, 0)
        assert used.input_tokens > 200
        assert used.output_tokens > 2
        assert again.system(name).model == ModelUse(stored=2)
        assert [r.paths for r in again.system(name).rankings] == [
            r.paths for r in first.system(name).rankings
        ]
    plain, helped = first.system("hdlgraph"), first.system("hdlgraph-rerank")
    for before, after in zip(plain.rankings, helped.rankings, strict=True):
        assert after.paths[:2] == (before.paths[1], before.paths[0])
        assert after.paths[2:] == before.paths[2:]
    assert "fell back" in first.to_text()
    assert "0 of 2" in first.to_text()
    json_model = first.to_dict()["systems"][1]["model"]
    assert json_model["calls"] == 2
    assert first.to_dict()["systems"][0]["model"] is None


def test_questions_that_a_model_did_not_help_are_counted(home, tmp_path):
    with Stub(lambda body: "I cannot") as stub:
        project = with_model(home, tmp_path, stub.base_url)
        found = evaluate(project, home / "q.jsonl", ["hdlgraph", *HELPED], cache=home / "cache")
    plain = [r.paths for r in found.system("hdlgraph").rankings]
    for name in HELPED:
        assert found.system(name).model.failed == 2
        assert [r.paths for r in found.system(name).rankings] == plain
    assert "2 of 2" in found.to_text()


def test_systems_with_a_model_need_one_before_anything_runs(home):
    told = []
    with pytest.raises(UsageError, match="system hdlgraph-rerank: needs a language model"):
        evaluate(
            home,
            home / "q.jsonl",
            ["bm25", "hdlgraph-rerank"],
            progress=lambda *step: told.append(step),
        )
    assert told == []
