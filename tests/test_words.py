import string

from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.words import (
    STOP_WORDS,
    question_terms,
    split_identifier,
    stem,
    terms,
)


def test_identifiers_are_split_and_kept_joined():
    assert terms("u_tlulAdapterHost") == ["u", "tlul", "adapt", "host", "u_tluladapterhost"]
    assert split_identifier("SHA256_core") == ("sha", "256", "core")
    assert split_identifier("instrValidID") == ("instr", "valid", "id")


def test_hyphenated_words_also_match_joined():
    assert "writeback" in terms("the write-back stage")
    assert stem("writeback") in question_terms("write-back buffer")


def test_cache_dollar_is_spelled_out():
    assert terms("I$ and D$")[0] == stem("icache")
    assert stem("dcache") in question_terms("who refills the D$?")


def test_question_drops_function_words_only():
    found = question_terms("Which block decides when the arbiter should stall?")
    assert found == [stem("arbiter"), stem("stall")]


@given(st.text(max_size=200))
def test_any_text_has_terms_without_spaces(text):
    for term in terms(text):
        assert term
        assert not any(c.isspace() for c in term)


@given(st.lists(st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=6), min_size=1))
def test_snake_case_yields_its_parts(parts):
    assert split_identifier("_".join(parts)) == tuple(parts)


@given(st.lists(st.sampled_from(sorted(STOP_WORDS))))
def test_stop_words_alone_leave_nothing(found):
    assert question_terms(" ".join(found)) == []
