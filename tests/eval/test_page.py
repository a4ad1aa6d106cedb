import copy
import html
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.errors import UsageError
from hdlgraph.eval.page.markup import Markup, chance, el, points, share
from hdlgraph.eval.page.page import to_html, write_page
from hdlgraph.eval.page.pool import alike
from hdlgraph.eval.page.tables import oriented
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.run_file import read_run, read_runs
from hdlgraph.project import Project

HOSTILE = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>&amp;'</style>"
VOID = {"meta", "input", "br", "wbr"}


class Page(HTMLParser):
    """Elements, ids and links of a page; fails on tags that do not nest."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids, self.links, self.open = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.elements.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []
        self.links += [v for k, v in attrs if k in ("href", "src", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def system(name, ranks, at_1, rest):
    wide = {"low": 0.0, "high": 1.0}
    keys = {"recall@1": at_1, "lenient@1": at_1, "recall@10": rest, "lenient@10": rest}
    return {
        "name": name,
        "about": f"about {name}",
        "measures": {
            k: {"mean": v, **wide} for k, v in {**keys, "mrr": at_1, "ndcg@10": rest}.items()
        },
        "by_kind": {"functional": {"n": 4, "recall@1": at_1, "recall@10": rest, "mrr": at_1}},
        "by_role": {"rtl": {"n": 4, "recall@1": at_1, "recall@10": rest, "mrr": at_1}},
        "unit": None,
        "subgraph": None,
        "setup_seconds": 1.5,
        "query_seconds": 0.01,
        "p50_seconds": 0.0123,
        "p99_seconds": 0.1,
        "memory_mb": 321.4,
        "model": None,
        "questions": [
            {
                "id": f"q{i}",
                "rank": rank,
                "lenient_rank": rank,
                "top": top(i, rank),
                "seconds": 0.01,
            }
            for i, rank in enumerate(ranks)
        ],
    }


def top(question, rank):
    paths = [f"rtl/wrong{question}_{i}.sv" for i in range(1, 11)]
    if 0 < rank <= 10:
        paths[rank - 1] = f"rtl/right{question}.sv"
    return paths


def made(name="set-a", corpus="one"):
    """Returns a run of two systems; hdlgraph wins questions 0 and 1, loses 2, nobody finds 3."""
    ours, theirs = [1, 2, 7, 0], [3, 0, 1, 30]
    return {
        "schema": 2,
        "name": name,
        "corpus": corpus,
        "explanations": "deterministic",
        "questions": "q.jsonl",
        "field": "question",
        "n_questions": 4,
        "n_files": 50,
        "restricted": False,
        "ks": [1, 10],
        "depth": 100,
        "date": "2026-01-01",
        "machine": {"cpus": 2, "memory_gb": 8, "python": "3.11", "hdlgraph": "0.1"},
        "systems": [system("bm25", theirs, 0.25, 0.5), system("hdlgraph", ours, 0.25, 0.75)],
        "asked": [
            {
                "id": f"q{i}",
                "question": f"What is block {i}?",
                "kind": "functional",
                "role": "rtl",
                "relevant": [f"rtl/right{i}.sv"],
                "equivalent": [],
            }
            for i in range(4)
        ],
        "pairs": [
            {
                "first": "hdlgraph",
                "second": "bm25",
                "by_rank": {"wins": 2, "losses": 2, "ties": 0},
                "at_1": {"wins": 1, "losses": 1, "ties": 2},
                "p_mrr": 0.7,
                "p_at_1": 1.0,
            }
        ],
    }


def page_of(tmp_path, *runs):
    paths = []
    for number, run in enumerate(runs):
        paths.append(tmp_path / f"run{number}.json")
        paths[-1].write_text(json.dumps(run))
    return write_page(paths, tmp_path / "out" / "page.html").read_text()


def plain(markup):
    return html.unescape(re.sub(r"<[^>]+>", " ", markup))


def section(text, head, tag="h3"):
    return re.split(rf"<{tag}[ >]", text.split(f">{head}</{tag}>", 1)[1])[0]


def test_losses_wins_and_what_nobody_finds_by_hand(tmp_path):
    text = page_of(tmp_path, made())
    lost, won, none = (
        section(text, head)
        for head in ("Where hdlgraph loses", "Where hdlgraph wins", "What no system finds")
    )
    # Question 3: rank 30 against not ranked is a loss, and outside the first ten for both.
    assert re.findall(r">(q\d)</a>", lost) == ["q2", "q3"]
    assert re.findall(r">(q\d)</a>", won) == ["q0", "q1"]
    assert re.findall(r">(q\d)</a>", none) == ["q3"]
    assert "On 2 of 4 questions at least one baseline" in lost
    assert "bm25 2." in lost
    assert re.findall(r'<td class="(\w+)" data-value="\d+">([^<]+)<', lost) == [
        *[("r3", "7"), ("r1", "1")],
        *[("none", "–"), ("r4", "30")],
    ]


def test_curves_hold_the_shares_of_the_ranks(tmp_path):
    text = page_of(tmp_path, made())
    # hdlgraph's ranks 1, 2, 7, -: a quarter at 1, half at 3 and 5, three quarters from 10 on.
    assert "hdlgraph: @1 .250, @3 .500, @5 .500, @10 .750, @15 .750, @20 .750" in text
    assert "bm25: @1 .250, @3 .500, @5 .500, @10 .500, @15 .500, @20 .500" in text
    assert "Every question has one right file, so this is recall@k." in text
    several = made()
    several["asked"][0]["relevant"].append("rtl/other.sv")
    assert "success@k: share" in page_of(tmp_path, several)


def test_pooling_counts_each_question_of_both_sets(tmp_path):
    text = page_of(tmp_path, made(), made("set-b", "two"))
    pooled = plain(section(text, "Sets together", "h2"))
    # Rank 1: one won and one lost in each set.
    assert "set-a + set-b, 8 questions" in pooled
    assert re.search(r"bm25\s+\+0\.0\s+\S+ to \S+\s+2\s+2\s+1\.000", pooled)
    alone = page_of(tmp_path, made(), made("set-b", "one"))
    assert "Sets together" not in alone


def test_alike_runs_are_grouped_and_a_second_set_of_a_corpus_is_named(tmp_path):
    written = made("c", "three") | {"explanations": "written"}
    runs = [made("a", "one"), made("b", "two"), written, made("d", "two")]
    for number, run in enumerate(runs):
        (tmp_path / f"{number}").write_text(json.dumps(run))
    found = alike(read_runs([tmp_path / str(n) for n in range(4)]))
    assert [(label, [r.name for r in m], [r.name for r in rest]) for label, m, rest in found] == [
        ("deterministic explanations, all files", ["a", "b"], ["d"])
    ]
    assert "Left out of this comparison: d (also on two)" in page_of(tmp_path, *runs)


def test_runs_of_one_pool_belong_together(tmp_path):
    runs = [made("a", "one"), made("b", "two"), made("c", "three"), made("d", "one")]
    for number, run in enumerate(runs):
        pool = "further" if run["name"] in "bd" else ""
        (tmp_path / f"{number}").write_text(json.dumps(run | {"pool": pool}))
    found = alike(read_runs([tmp_path / str(n) for n in range(4)]))
    assert [(label, [run.name for run in members]) for label, members, _ in found] == [
        ("further", ["b", "d"]),
        ("deterministic explanations, all files", ["a", "c"]),
    ]


def test_cost_kinds_pairs_and_skipped_systems(tmp_path):
    run = made() | {"skipped": [{"name": "lightrag", "why": "not installed"}]}
    text = page_of(tmp_path, run)
    cost = plain(section(text, "Cost"))
    assert re.search(r"hdlgraph\s+about hdlgraph\s+10\.0\s+12\.3\s+100\.0\s+1\.5\s+321", cost)
    assert re.search(r"rtl\s+4\s+\.250 / \.750\s+\.250 / \.500", plain(text))
    assert "Not run: lightrag: not installed" in text
    assert "2 CPUs, 8 GB, Python 3.11, hdlgraph 0.1" in text


def test_ablations_show_the_change_in_points(tmp_path):
    run = made()
    run["systems"].append(system("hdlgraph-h0", [2, 2, 0, 0], 0.0, 0.5))
    part = plain(section(page_of(tmp_path, run), "Ablations"))
    assert re.search(r"hdlgraph-h0\s+about hdlgraph-h0\s+\.000\s+−25\.0\s+\.500\s+−25\.0", part)
    assert "bm25" not in part


def test_a_pair_is_turned_round(tmp_path):
    (tmp_path / "r").write_text(json.dumps(made()))
    pair = oriented(read_run(tmp_path / "r"), "bm25", "hdlgraph")
    assert (pair.at_1.wins, pair.at_1.losses, pair.p_mrr) == (1, 1, 0.7)
    assert oriented(read_run(tmp_path / "r"), "bm25", "tfidf") is None


def test_everything_foreign_is_escaped(tmp_path):
    run = made(HOSTILE, HOSTILE)
    for key in ("explanations", "questions", "field", "date"):
        run[key] = HOSTILE
    run["machine"] = {HOSTILE: HOSTILE}
    run["skipped"] = [{"name": HOSTILE, "why": HOSTILE}]
    asked = run["asked"][0]
    asked |= {"id": HOSTILE, "question": HOSTILE, "kind": HOSTILE, "role": HOSTILE}
    asked |= {"relevant": [HOSTILE], "equivalent": [HOSTILE + "2"]}
    reason = {"kind": HOSTILE, "path": HOSTILE, "line": 3, "text": HOSTILE}
    for found in run["systems"]:
        found["about"] = HOSTILE
        found["by_kind"][HOSTILE] = found["by_role"][HOSTILE] = {"n": 1, "recall@1": 1.0}
        place = found["questions"][0]
        place |= {"id": HOSTILE, "top": [HOSTILE], "evidence": {HOSTILE: [reason]}}
    run["systems"].append(system(HOSTILE, [1, 1, 1, 1], 1.0, 1.0))
    run["systems"][-1]["questions"][0]["id"] = HOSTILE
    page = Page(page_of(tmp_path, run))
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert [tag for tag, _ in page.elements].count("style") == 1
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not [key for _, attrs in page.elements for key in attrs if key.startswith("on")]
    assert all(link.startswith("#run") for link in page.links)


def test_control_and_direction_characters_do_not_reach_the_page(tmp_path):
    run = made()
    run["asked"][0]["question"] = "a\u202eb\x00c\ud800d"
    assert "a\ufffdb\ufffdc\ufffdd" in page_of(tmp_path, run)


def test_the_page_asks_for_nothing_and_its_links_lead_somewhere(tmp_path):
    text = page_of(tmp_path, made(), made("set-b", "two"))
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert not re.search(r"https?://|url\(|@import", text)
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    charts = [attrs for tag, attrs in page.elements if attrs.get("role") == "img"]
    assert len(charts) == 4
    assert all(attrs["aria-label"] for attrs in charts)
    scopes = [attrs.get("scope") for tag, attrs in page.elements if tag == "th"]
    assert set(scopes) == {"row", "col"}


@given(st.text(), st.text())
@settings(max_examples=100, deadline=None)
def test_an_element_cannot_be_left(child, attribute):
    parsed = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: parsed.append((tag, attrs))
    parser.feed(el("p", child, title=attribute))
    parser.close()
    assert [tag for tag, _ in parsed] == ["p"]
    assert [key for key, _ in parsed[0][1]] == ["title"]


def test_figures_are_written_alike():
    assert (share(0.4166), share(1), share(0), share(0.9996)) == (".417", "1.00", ".000", "1.00")
    assert (points(0.1166), points(-0.05), chance(0.0004), chance(0.034)) == (
        *("+11.7", "−5.0"),
        *("< .001", ".034"),
    )
    assert el("b", Markup("<i>x</i>"), "<", None) == "<b><i>x</i>&lt;</b>"


def changed(path, value):
    run = copy.deepcopy(made())
    place = run
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return run


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("schema",), 1, '"schema" is 1, not 2'),
        (("schema",), None, '"schema" is null, not 2'),
        (("systems",), [], r"\$.systems"),
        (("name",), None, "missing required field `name`"),
        (("asked", 1, "relevant"), None, r"`relevant` - at `\$.asked"),
        (("systems", 0, "questions", 2, "rank"), -1, "rank"),
        (("systems", 0, "questions", 2, "rank"), "1", "Expected `int`, got `str`"),
        (("systems", 1, "measures", "recall@10"), None, 'hdlgraph: "measures" lacks "recall@10"'),
        (("systems", 1, "name"), "bm25", "\"systems\" has 'bm25' twice"),
        (("asked", 1, "id"), "q0", "\"asked\" has 'q0' twice"),
        (("systems", 0, "questions", 2, "id"), "x", "system bm25: the ids of"),
        (("n_questions",), 5, '"n_questions" is 5, "asked" has 4'),
        (("pairs", 0, "second"), "x", "\"pairs\" names 'x'"),
    ],
)
def test_bad_run_files_are_named_with_the_key(tmp_path, path, value, says):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(changed(path, value)))
    with pytest.raises(UsageError, match=f"bad.json: .*{says}"):
        write_page([file], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_files_that_are_no_runs(tmp_path):
    file = tmp_path / "run.json"
    for content, says in (("{\n", "not JSON, line 2"), ("[1]", '"schema" is no object')):
        file.write_text(content)
        with pytest.raises(UsageError, match=f"run.json: {says}"):
            read_run(file)
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UsageError, match=r"run.json: not JSON"):
        read_run(file)
    with pytest.raises(UsageError, match=r"cannot read .*none.json"):
        read_run(tmp_path / "none.json")
    with pytest.raises(UsageError, match="no run file"):
        read_runs([])


def test_two_runs_of_one_name_and_a_page_that_cannot_be_written(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(made()))
    with pytest.raises(UsageError, match=r"b.json: the run 'set-a' is also in .*a.json"):
        read_runs([tmp_path / "a.json", tmp_path / "b.json"])
    with pytest.raises(UsageError, match=r"cannot write .*a.json/page"):
        write_page([tmp_path / "a.json"], tmp_path / "a.json" / "page.html")


def test_a_real_run_makes_the_same_page_twice(tmp_path):
    root = tmp_path / "uart"
    root.mkdir()
    for name, said in (("tx", "Sends bytes"), ("rx", "Samples the line"), ("baud", "Bit clock")):
        (root / f"{name}.sv").write_text(f"// {said}.\nmodule {name}(input c);\nendmodule\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    asked = {"id": "a", "question": "what sends bytes", "relevant": ["tx.sv"], "kind": "functional"}
    (root / "q.jsonl").write_text(json.dumps(asked))
    names = ["bm25", "hdlgraph", "hdlgraph-h0"]
    report = evaluate(root, root / "q.jsonl", names, cache=tmp_path / "vectors")
    (tmp_path / "q.json").write_text(json.dumps(report.to_dict()))
    run = read_run(tmp_path / "q.json")
    assert run.leader.questions[0].evidence["tx.sv"]
    text = to_html([run])
    assert text == to_html([read_run(tmp_path / "q.json")])
    Page(text)
    assert "Evidence of hdlgraph for <code>tx.sv</code> (right)" in text
    assert "✓ right" in text
    assert "tx.sv:1" in text
