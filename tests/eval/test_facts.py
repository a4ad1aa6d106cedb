"""Tests of the share of a reference's facts that answers show."""

from __future__ import annotations

from hdlgraph.eval.answers.facts import FactCount, facts_shown


def fact(place: str, must: object = True) -> dict[str, object]:
    return {"fact": "said in words", "place": place, "must": must}


def cited(text: str, path: str, line: int, end_line: int) -> dict[str, object]:
    return {"text": text, "path": path, "line": line, "end_line": end_line, "wrong": ""}


CODE = cited("10| always\n11| begin\n14| end", "rtl/a.v", 10, 14)


def test_numbered_lines_are_shown_and_those_left_out_are_not():
    assert facts_shown([fact("rtl/a.v:10-11")], [CODE]) == FactCount(1, 1, 1, 1)
    assert facts_shown([fact("rtl/a.v:12-13")], [CODE]) == FactCount(0, 1, 0, 1)
    assert facts_shown([fact("rtl/b.v:10")], [CODE]) == FactCount(0, 1, 0, 1)


def test_a_cited_sentence_stands_for_its_few_lines():
    said = cited("Resets to 0", "rtl/a.v", 3, 4)
    assert facts_shown([fact("rtl/a.v:3")], [said]).facts == 1
    far = cited("An arbiter", "rtl/a.v", 1, 90)
    assert facts_shown([fact("rtl/a.v:3")], [far]).facts == 0


def test_an_answer_counts_only_with_all_its_facts():
    facts = [fact("rtl/a.v:10"), fact("rtl/a.v:12"), fact("rtl/a.v:99", must=False)]
    assert facts_shown(facts, [CODE]) == FactCount(1, 2, 0, 1)
    assert str(facts_shown(facts, [CODE]) + facts_shown([fact("rtl/a.v:14")], [CODE])) == (
        "2 of 3 facts shown, all of its facts in 1 of 2 answers"
    )


def test_places_of_another_form_and_no_facts_ask_nothing():
    assert facts_shown([], [CODE]) == FactCount()
    assert facts_shown([fact("somewhere")], [CODE]) == FactCount()


def test_an_answer_without_citations_shows_nothing():
    assert facts_shown([fact("rtl/a.v:10")], []) == FactCount(0, 1, 0, 1)
