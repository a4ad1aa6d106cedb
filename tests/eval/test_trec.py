"""TREC files: the real ir_measures reads them and finds our figures."""

import dataclasses
import json

import ir_measures
import pytest
from ir_measures import RR, R, Success, nDCG

from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.trec import write_trec
from hdlgraph.project import Project

SUBJECTS = ["uart", "timer", "fifo", "arbiter", "decoder", "spi", "dma", "cache"]
QUESTIONS = [
    {"id": f"q{n}", "question": f"what does the {name} do", "relevant": [f"rtl/{name}.sv"]}
    for n, name in enumerate(SUBJECTS[:6])
]
QUESTIONS[2] |= {"relevant": ["rtl/fifo.sv", "rtl/dma.sv"], "question": "queues of timers"}
QUESTIONS[3] |= {"equivalent": ["rtl/my spi%.sv"], "question": "picks one of several spi"}
QUESTIONS[4] |= {"relevant": ["rtl/my spi%.sv"], "question": "cache"}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("trec")
    (root / "rtl").mkdir()
    for number, name in enumerate(SUBJECTS):
        file = "my spi%" if name == "spi" else name
        others = " ".join(SUBJECTS[number + 1 : number + 4])
        text = f"// The {name} beside {others}.\nmodule {name}(input clk_i);\nendmodule\n"
        (root / "rtl" / f"{file}.sv").write_text(text)
    QUESTIONS[5]["relevant"] = ["rtl/cache.sv"]
    (root / "q.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return evaluate(root, root / "q.jsonl", ["bm25", "tfidf", "hdlgraph"], cache=root / "cache")


@pytest.mark.parametrize("system", ["bm25", "tfidf", "hdlgraph"])
def test_ir_measures_repeats_the_table(report, tmp_path, system):
    write_trec(report, tmp_path)
    wanted = [Success @ 1, Success @ 5, R @ 1, R @ 5, R @ 10, RR, nDCG @ 10]
    found = ir_measures.calc_aggregate(
        wanted,
        ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt")),
        ir_measures.read_trec_run(str(tmp_path / f"run-{system}.txt")),
    )
    ours = {key: value.mean for key, value in report.system(system).measures.items()}
    assert 0 < ours["mrr"] < 1  # a perfect or empty run would compare nothing
    names = ["success@1", "success@5", "recall@1", "recall@5", "recall@10", "mrr", "ndcg@10"]
    assert [found[m] for m in wanted] == pytest.approx([ours[name] for name in names], abs=1e-6)


@pytest.mark.parametrize("system", ["bm25", "hdlgraph"])
def test_lenient_qrels_give_the_lenient_figures_where_one_file_is_right(report, tmp_path, system):
    write_trec(report, tmp_path)
    by_id = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(
            [Success @ 1, Success @ 5],
            ir_measures.read_trec_qrels(str(tmp_path / "qrels-lenient.txt")),
            ir_measures.read_trec_run(str(tmp_path / f"run-{system}.txt")),
        )
    }
    compared = 0
    for number, question in enumerate(report.asked):
        for k in (1, 5):
            ours = report.system(system).values[f"lenient@{k}"][number]
            if len(question.relevant) == 1:
                assert by_id[question.id, f"Success@{k}"] == pytest.approx(ours, abs=1e-6)
                compared += 1
    assert compared == 10


def test_each_question_agrees_too(report, tmp_path):
    write_trec(report, tmp_path)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt")))
    run = ir_measures.read_trec_run(str(tmp_path / "run-bm25.txt"))
    found = {m.query_id: m.value for m in ir_measures.iter_calc([RR], qrels, run)}
    ours = dict(zip([q.id for q in report.asked], report.system("bm25").values["mrr"], strict=True))
    assert found == pytest.approx(ours, abs=1e-6)


def test_blanks_and_percent_signs_stay_one_field(report, tmp_path):
    write_trec(report, tmp_path)
    lines = (tmp_path / "qrels-lenient.txt").read_text().splitlines()
    assert "q3 0 rtl/my%20spi%25.sv 1" in lines
    assert {len(line.split()) for line in lines} == {4}


def test_ranks_stay_apart_far_down(report, tmp_path):
    long = tuple(f"f{n}.sv" for n in range(5000))
    system = report.systems[0]
    rankings = tuple(dataclasses.replace(r, paths=long) for r in system.rankings[:1])
    one = dataclasses.replace(report, systems=(dataclasses.replace(system, rankings=rankings),))
    write_trec(one, tmp_path)
    scores = [float(x.split()[4]) for x in (tmp_path / "run-bm25.txt").read_text().splitlines()]
    assert len(set(scores)) == 5000
    assert scores == sorted(scores, reverse=True)
