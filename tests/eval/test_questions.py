import json
from importlib.resources import files

import pytest

from hdlgraph.errors import QuestionsError
from hdlgraph.eval.sets.questions import check_corpus, check_name, read_questions

GOOD = {"id": "q1", "question": "Who holds the count?", "relevant": ["rtl/counter.sv"]}
PATHS = ["rtl/counter.sv", "rtl/top.sv", "dv/tb.sv"]


@pytest.fixture
def write(tmp_path):
    def make(*lines):
        path = tmp_path / "questions.jsonl"
        rows = [x if isinstance(x, str) else json.dumps(x) for x in lines]
        path.write_text("\n".join(rows) + "\n")
        return path

    return make


def test_reads_all_fields_and_skips_blank_lines(write):
    full = {
        "id": 2,
        "question": "a",
        "short": "b?",
        "relevant": ["./rtl/top.sv", "rtl/top.sv"],
        "equivalent": ["rtl/top.sv", "dv/tb.sv"],
        "kind": "functional",
    }
    first, second = read_questions(write({**GOOD, "short": "c"}, "", full), "short", PATHS)
    assert (first.id, first.text, first.line, first.equivalent) == ("q1", "c", 1, ())
    assert (second.id, second.text, second.line) == ("2", "b?", 3)
    assert (second.relevant, second.equivalent) == (("rtl/top.sv",), ("dv/tb.sv",))
    assert second.kind == "functional"


def test_other_keys_may_hold_anything(write):
    notes = {"weights": [1], "difficulty": 3, "by": {"who": "x"}, "checked": True, "old": None}
    (question,) = read_questions(write({**GOOD, **notes, "evidence": [{"line": 3}]}))
    assert question.text == GOOD["question"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "q2", "question": ', "not JSON at column"),
        ("[1, 2]", "not a JSON object: [1, 2]"),
        ("[" * 100_000, "not JSON"),
        ({**GOOD, "id": None}, '"id" is missing'),
        ({**GOOD, "id": "two words"}, "has a space"),
        ({**GOOD, "id": ["x"]}, '"id" is ["x"]'),
        ({"id": "q2", "text": "x", "relevant": ["rtl/top.sv"]}, '"question" is missing'),
        ({**GOOD, "id": "q2", "question": " "}, '"question" is  '),
        ({**GOOD, "id": "q2", "question": 7}, '"question" is 7'),
        ({"id": "q2", "question": "x"}, '"relevant" is missing'),
        ({**GOOD, "id": "q2", "relevant": []}, '"relevant" is empty'),
        ({**GOOD, "id": "q2", "relevant": "rtl/top.sv"}, "must be a list of paths"),
        ({**GOOD, "id": "q2", "relevant": ["rtl/couter.sv"]}, "did you mean rtl/counter.sv?"),
        ({**GOOD, "id": "q2", "equivalent": ["top.sv"]}, "did you mean rtl/top.sv?"),
        (GOOD, 'duplicate id "q1" (first on line 1)'),
        ({**GOOD, "id": "q2", "kind": 7}, '"kind" is 7; it must be a string'),
        ({**GOOD, "id": "q2", "corpus": ["a"]}, '"corpus" is ["a"]; it must be a string'),
        ({**GOOD, "id": "q\x07"}, "has a character that cannot be printed"),
        ({**GOOD, "id": "\ud800"}, "has a character that cannot be printed"),
        ({**GOOD, "id": "q2", "question": "?!"}, "has no letter or digit to search for"),
        ({**GOOD, "id": "q2", "question": "a \ud800"}, "is no text that UTF-8 can hold"),
        ({**GOOD, "id": "q2", "kind": "\ud800"}, "\"kind\" is '\\ud800', which is no text"),
        ({**GOOD, "id": "q2", "equivalents": ["rtl/top.sv"]}, 'did you mean "equivalent"?'),
        ({**GOOD, "id": "q2", "equivelant": "rtl/top.sv"}, 'did you mean "equivalent"?'),
        ({**GOOD, "id": "q2", "relevant": ["rtl/top.sv", 3]}, "must be a list of paths"),
        ({**GOOD, "id": "q2", "relevant": {"rtl/top.sv": 1}}, "must be a list of paths"),
        ('{"id": "q2", "id": "q3", "question": "a", "relevant": []}', '"id" is there twice'),
    ],
)
def test_a_bad_line_is_named_with_its_place_and_value(write, line, says):
    path = write(GOOD, line)
    with pytest.raises(QuestionsError) as caught:
        read_questions(path, paths=PATHS)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_all_bad_lines_are_reported_at_once(write):
    path = write(*[{**GOOD, "id": f"q{n}", "relevant": []} for n in range(14)])
    with pytest.raises(QuestionsError) as caught:
        read_questions(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[0].startswith(f"{path}:1: ")
    assert lines[-1] == "... and 4 more bad lines"


def test_unreadable_empty_and_binary_files(tmp_path, write):
    with pytest.raises(QuestionsError, match="cannot read"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(QuestionsError, match="cannot read"):
        read_questions(tmp_path)
    with pytest.raises(QuestionsError, match="no questions in it"):
        read_questions(write(""))
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "q1", "question": "a", "relevant": ["a.v"]}\n\xe9\n')
    with pytest.raises(QuestionsError, match=r":2: not UTF-8 \(byte 0xe9 in column 1\)"):
        read_questions(path)


def test_a_corpus_that_lacks_a_relevant_file_is_refused(write):
    path = write(GOOD)
    questions = read_questions(path)
    check_corpus(path, questions, PATHS)
    with pytest.raises(QuestionsError, match=r":1: q1: relevant file rtl/counter.sv"):
        check_corpus(path, questions, ["rtl/top.sv"])


def test_another_phrasing_is_no_unknown_key(write):
    line = {**GOOD, "question_de": "Wer?", "questions": "text", "note": "kept"}
    assert read_questions(write(line), "question_de", PATHS)[0].text == "Wer?"


def test_the_corpus_of_a_set_is_one_and_the_indexed_one(write):
    def asked(*names):
        rows = [{**GOOD, "id": f"q{n}", "corpus": name} for n, name in enumerate(names)]
        path = write(*rows)
        return path, read_questions(path)

    path, same = asked("", "opentitan", "pythondata-misc-opentitan==0.0.post5550")
    check_name(path, same, "opentitan 0.0.post5550")
    check_name(path, same, "")
    with pytest.raises(QuestionsError, match=r':2: q1: "corpus" is opentitan, but the index holds'):
        check_name(path, same, "riscv-cores")
    with pytest.raises(QuestionsError, match=r"but the index holds opentitan 0.0.post1"):
        check_name(path, same, "opentitan 0.0.post1")
    path, mixed = asked("ibex", "my-soc")
    with pytest.raises(QuestionsError, match=r':2: q1: "corpus" is my-soc, but line 1 has ibex'):
        check_name(path, mixed, "")
    path, own = asked("my-soc")
    check_name(path, own, "")


@pytest.mark.parametrize("name", ["opentitan-2021", "riscv-cores"])
def test_the_sets_in_the_package_are_valid(name):
    questions = read_questions(files("hdlgraph.eval") / "data" / f"{name}.jsonl")
    assert len(questions) == 60
    assert len({q.kind for q in questions}) == 6
