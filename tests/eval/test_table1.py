import json

import pytest

from hdlgraph.errors import QuestionsError, UsageError
from hdlgraph.eval.protocols.run import evaluate, read_corpus
from hdlgraph.eval.protocols.table1 import ALL, distractors, sample_paths, table1
from hdlgraph.eval.protocols.table1_text import PAPER, PAPER_ROWS, leading, number
from hdlgraph.eval.sets.questions import Question
from hdlgraph.eval.systems.registry import Corpus
from hdlgraph.project import Project
from hdlgraph.settings.records import EmbeddingSettings, Settings

WORDS = "counter arbiter timer serial cache decoder multiplier watchdog packer crossbar".split()
FILES = {
    f"rtl/{word}{copy}.sv": f"// The {word} number {copy}.\nmodule {word}{copy}(input clk_i);\n"
    "endmodule\n"
    for word in WORDS
    for copy in (1, 2, 3)
}
QUESTIONS = [
    {
        "id": "q1",
        "question": "Where is the serial port?",
        "relevant": ["rtl/serial1.sv"],
        "equivalent": ["rtl/serial2.sv"],
        "kind": "functional",
    },
    {
        "id": "q2",
        "question": "What does the watchdog do?",
        "relevant": ["rtl/watchdog3.sv"],
        "kind": "functional",
    },
]
SYSTEMS = ["tfidf-embedding", "bm25", "hdlgraph"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    root = tmp_path_factory.mktemp("words")
    (root / "rtl").mkdir()
    for path, text in FILES.items():
        (root / path).write_text(text)
    Project(root).index(graphrag="never", jobs=1)
    (root / "q.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    return root


@pytest.fixture(scope="module")
def found(home):
    lists = home / "lists"
    project = Project.open(home)
    return table1(project, home / "q.jsonl", SYSTEMS, samples=lists, cache=home / "vectors")


def test_a_sample_is_the_union_of_distractors_and_right_files_by_hand():
    asked = [Question("a", "?", ("r.sv",), ("e.sv",)), Question("b", "?", ("s.sv",))]
    ranked = {"a": ("s.sv", "x.sv", "y.sv"), "b": ("x.sv", "r.sv", "z.sv")}
    assert sample_paths(asked, ranked, 1) == ("e.sv", "r.sv", "s.sv", "x.sv")
    assert sample_paths(asked, ranked, 3) == ("e.sv", "r.sv", "s.sv", "x.sv", "y.sv", "z.sv")


def test_distractors_are_the_best_wrong_files_of_the_baseline(home, found):
    whole = evaluate(home, home / "q.jsonl", ["tfidf-embedding"], cache=home / "vectors")
    for ranking, question in zip(
        whole.system("tfidf-embedding").rankings, whole.asked, strict=True
    ):
        right = {*question.relevant, *question.equivalent}
        wrong = [path for path in ranking.paths if path not in right]
        assert list(found.distractors[question.id]) == wrong[:15]
    assert set(found.distractors["q1"][:1]) == {"rtl/serial3.sv"}
    assert set(found.distractors["q2"][:2]) == {"rtl/watchdog1.sv", "rtl/watchdog2.sv"}


def test_samples_are_nested_and_hold_all_right_files(found):
    everything, fifteen, two = found.samples
    assert [s.name for s in found.samples] == [ALL, "top-15 + correct", "top-2 + correct"]
    assert set(two.files) < set(fifteen.files) <= set(everything.files) == set(FILES)
    assert {"rtl/serial1.sv", "rtl/serial2.sv", "rtl/watchdog3.sv"} <= set(two.files)
    assert len(two.files) == 3 + len({p for d in found.distractors.values() for p in d[:2]})
    for sample in found.samples:
        assert sample.report.n_files == len(sample.files)
        assert sample.written == 0
        for result in sample.report.systems:
            for ranking in result.rankings:
                assert set(ranking.paths) <= set(sample.files)


def test_the_lists_repeat_a_column(home, found):
    for size in (15, 2):
        sample = found.sample(f"top-{size} + correct")
        listed = home / "lists" / f"top-{size}.files"
        assert read_corpus(listed, FILES) == sample.files
        again = evaluate(home, home / "q.jsonl", SYSTEMS, corpus=listed, cache=home / "vectors")
        for name in SYSTEMS:
            assert again.system(name).ranks == sample.report.system(name).ranks


def test_text_and_json_say_the_same_and_state_what_is_not_known(found):
    text, data = found.to_text(), json.loads(json.dumps(found.to_dict()))
    for row in PAPER_ROWS:
        line = next(line for line in text.splitlines() if line.startswith(f"paper: {row}"))
        assert PAPER or line.split()[-3:] == ["-", "-", "-"]
    flat = " ".join(text.split())
    assert "29 private questions" in flat
    assert "31% for its baseline, 55% to 59%" in flat
    bm25 = data["samples"][2]["systems"][1]
    strict, lenient = (bm25["measures"][key]["mean"] for key in ("recall@1", "lenient@1"))
    row = next(line for line in text.splitlines() if line.startswith("  bm25 "))
    assert row.endswith(f"{number(strict)} / {number(lenient)}")
    assert data["samples"][0]["files"] is None
    assert data["samples"][0]["n_files"] == 30
    assert data["samples"][2]["files"] == list(found.samples[2].files)
    assert [pair["second"] for pair in data["samples"][0]["at_1"]] == ["tfidf-embedding", "bm25"]
    assert text.index("GraphRAG over") < text.index("  hdlgraph ") < text.index("not in the paper")


def test_a_second_run_gives_the_same_table(home, found):
    project = Project.open(home)
    again = table1(project, home / "q.jsonl", SYSTEMS, cache=home / "vectors")
    assert again.to_text() == found.to_text()
    assert again.to_dict() == found.to_dict()


def test_paths_that_look_like_comments_survive_a_list(tmp_path):
    from hdlgraph.eval.protocols.table1 import _write_list

    _write_list(tmp_path / "new", 2, ["#odd.sv", "rtl/a.sv"], tmp_path / "q.jsonl")
    listed = tmp_path / "new" / "top-2.files"
    assert read_corpus(listed, ["#odd.sv", "rtl/a.sv"]) == ("#odd.sv", "rtl/a.sv")


def test_a_corpus_smaller_than_the_sample_is_taken_whole(home):
    few = ("rtl/cache1.sv", "rtl/serial1.sv", "rtl/serial2.sv")
    corpus = Corpus(Project.open(home), few, home / "vectors")
    asked = Question("q1", "serial port", ("rtl/serial1.sv",), ("rtl/serial2.sv",))
    assert distractors(corpus, [asked], 15) == {"q1": ("rtl/cache1.sv",)}


def test_bad_requests(home, tmp_path):
    project = Project.open(home)
    with pytest.raises(UsageError, match="did you mean bm25"):
        table1(project, home / "q.jsonl", ["bm52"])
    (tmp_path / "bad.jsonl").write_text('{"id": "x", "question": "what", "relevant": ["no.sv"]}')
    with pytest.raises(QuestionsError, match=r"bad.jsonl:1: .*no.sv"):
        table1(project, tmp_path / "bad.jsonl", SYSTEMS)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write .*top-15.files"):
        table1(
            project, home / "q.jsonl", ["bm25"], samples=tmp_path / "file", cache=home / "vectors"
        )
    bare = Project(home, settings=Settings(embedding=EmbeddingSettings(provider="none")))
    with pytest.raises(UsageError, match="embeddings need a model"):
        table1(bare, home / "q.jsonl", ["bm25"], cache=tmp_path)


def test_who_is_compared():
    assert leading(["bm25", "hdlgraph", "tfidf"]) == "hdlgraph"
    assert leading(["bm25", "tfidf"]) == "tfidf"
