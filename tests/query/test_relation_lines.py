"""The words around lines, and the edges of a file that they choose."""

from __future__ import annotations

import numpy as np
import pytest

from hdlgraph.project import Project
from hdlgraph.query.mentions.nearby import Nearby
from hdlgraph.query.relations.evidence.formed import KIND, of_form
from hdlgraph.query.relations.evidence.heads import with_heads
from hdlgraph.query.relations.evidence.lines import units_of
from hdlgraph.query.relations.evidence.quoted import is_quote, quoted
from hdlgraph.query.relations.evidence.statements import SPEAKS, declarations, statements
from hdlgraph.query.relations.feature import RelatedScores
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.readings.weighed import Weighed
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.query.relations.sought import Sought
from hdlgraph.query.search import Searcher
from hdlgraph.results import Evidence, Hit

VENDORED = "vendor/maker/cells"
FILES = {
    "rtl/lane.v": """module lane(input clk, input go, output done);
  // Counts the beats that the far side still owes.
  assign done = go;
endmodule
""",
    "rtl/top.v": """module top(input clk, input a, output b);
  wire first, second;
  // The outgoing direction.
  lane u_tx(.clk(clk), .go(a), .done(first));


  // Loops the answer back for a self test.
  lane u_rx(.clk(clk),
    .go(first), .done(second));
  assign b = second;
endmodule
""",
    f"{VENDORED}/pre_dv/cell_tb.v": """module cell_tb;
  reg clk;
  cell_mix dut(.clk(clk), .q());
endmodule
""",
    f"{VENDORED}/rtl/cell_mix.v": """module cell_mix(input clk, output q);
  assign q = clk;
endmodule
""",
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("lanes")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project.searcher()


def test_words_stand_around_a_line(searcher: Searcher) -> None:
    groups = searcher.analyse("what loops the answer back?").groups
    nearby = Nearby(searcher.lexicon, groups)
    number = searcher.lexicon.number("rtl/top.v")
    beside, far = nearby.shares(number, [8, 4]).tolist()
    assert beside > 0.5 > far
    assert nearby.shares(number, []).tolist() == []


def test_the_words_on_a_line_itself_are_told_apart_from_those_around_it(searcher: Searcher) -> None:
    groups = searcher.analyse("what loops the answer back?").groups
    nearby = Nearby(searcher.lexicon, groups)
    number = searcher.lexicon.number("rtl/top.v")
    comment, instance = nearby.own(number, [7, 8]).tolist()
    assert comment == nearby.most(number) > 0.5
    assert instance == 0
    (line, words), *_ = nearby.wordiest(number, 2)
    assert line == 7
    assert {"loop", "answer"} <= {*words}
    assert nearby.own(number, []).tolist() == []


def test_the_statement_that_is_described_is_told(searcher: Searcher) -> None:
    ranking = searcher.ranking("Which module drives done when the far side owes beats?", 1)
    scores = ranking.scores["relation"]
    assert isinstance(scores, RelatedScores)
    assert scores.question is not None
    number, design = searcher.lexicon.number("rtl/lane.v"), scores.design
    units = searcher.index.part(units_of)
    found = list(statements(design, units, scores.question, number))
    assert Stated("rtl/lane.v", 3, "lane drives done from go") in found
    assert Stated("rtl/lane.v", 3, "lane reads go for done") in found
    assert list(statements(design, None, scores.question, number)) == []
    told = [one.text for one in declarations(design, scores.question, number)]
    assert "lane.done is declared" in told


def test_a_line_of_words_is_quoted_and_a_comment_tells_the_code_below() -> None:
    text = FILES["rtl/top.v"]

    def of(line: int) -> Hit:
        one = Evidence("relation", "rtl/top.v", line, f"top.v{SPEAKS}self", 0.0)
        why = (f"relation: {one.text} (rtl/top.v:{line})",)
        return Hit(1, "rtl/top.v", 1, 0.0, "rtl", "", (one,), why=why)

    (hit,) = quoted([of(7)], lambda _: text)
    (said,) = hit.evidence
    assert (said.line, said.text) == (8, f"top.v has {text.splitlines()[7].strip()}")
    assert hit.why == (f"relation: {said.text} (rtl/top.v:8)",)
    assert is_quote(said)
    for line, known in ((11, text), (6, ""), (99, text)):
        (hit,) = quoted([of(line)], lambda _, known=known: known)
        assert (hit.evidence, hit.why) == ((), ())


def test_behind_a_connection_stands_the_head_of_its_instance_once(searcher: Searcher) -> None:
    resolver = searcher.index.part(resolver_of)
    assert resolver is not None
    going = Stated("rtl/top.v", 9, "top.first is connected to lane.go: first")
    again = Stated("rtl/top.v", 9, "top.second is connected to lane.done: second")
    first, other = searcher.lexicon.number("rtl/top.v"), searcher.lexicon.number("rtl/lane.v")
    found = with_heads({first: [going, again], other: [going]}, resolver.design)
    head = Stated("rtl/top.v", 8, "top instantiates lane as u_rx")
    assert found == {first: [going, head, again], other: [going]}
    driven = Stated("rtl/lane.v", 3, "lane drives done from go")
    assert with_heads({first: [driven]}, resolver.design) == {first: [driven]}


def test_every_form_has_its_kind() -> None:
    assert KIND.keys() == {*Sought}
    likely = of_form(Sought.DRIVERS, [0.5] * len(KINDS))
    assert likely[KINDS.index("drives")] == max(likely) > 0.5
    assert sum(likely) <= 1.0


def test_a_bench_of_vendored_code_counts_as_a_test(searcher: Searcher) -> None:
    resolver = searcher.index.part(resolver_of)
    assert resolver is not None
    number = searcher.lexicon.number
    assert resolver.role(number(f"{VENDORED}/pre_dv/cell_tb.v")) == "vendored"
    assert resolver.tests(number(f"{VENDORED}/pre_dv/cell_tb.v"))
    assert not resolver.tests(number(f"{VENDORED}/rtl/cell_mix.v"))
    assert not resolver.tests(number("rtl/lane.v"))


def test_what_is_read_of_a_design_is_read_once_for_all_questions(searcher: Searcher) -> None:
    resolver = searcher.index.part(resolver_of)
    assert resolver is not None
    first, again = (Weighed(resolver, np.zeros(searcher.lexicon.n_files)) for _ in range(2))
    assert first.settings("the DEPTH of a lane") == again.settings("the DEPTH of a lane")
    assert first.tables.settings is again.tables.settings is resolver.tables.settings
    assert first.binding is again.binding
