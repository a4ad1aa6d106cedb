"""A part of the repository that a question names is looked at first."""

from types import SimpleNamespace

import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.scope import (
    inside_first,
    named_first,
    named_parts,
    placed_parts,
    question_words,
    scope_match,
)

PATHS = ("quux/rtl/a.v", "quux/rtl/b.v", "bench/t.v", "zap-2/axi/c.v", "zap-2/d.v", "x.v")


def lexicon(paths=PATHS):
    held = SimpleNamespace(paths=paths, n_files=len(paths), projects=())
    held.parts = Lexicon.parts.func(held)
    held.directories = Lexicon.directories.func(held)
    return held


def test_words_of_a_question_lose_their_marks():
    assert {"quux", "zap-2", "zap", "2"} <= question_words("Quux's ALU, or zap-2: which?")


def test_a_first_level_folder_is_named_by_its_own_name():
    found = named_parts(lexicon(), "Where does Quux's decoder reject it?")
    assert {name: files.tolist() for name, files in found.items()} == {"quux": [0, 1]}
    both = named_parts(lexicon(), "compare quux with zap-2")
    assert sorted(both) == ["quux", "zap-2"]


def test_folders_that_are_words_of_any_design_are_not_parts():
    assert named_parts(lexicon(), "which bench drives the axi port?") == {}


def test_folders_named_after_a_general_thing_are_not_parts():
    paths = ("uart/a.v", "aes/b.v", "picorv32/c.v", "x.v")
    assert list(named_parts(lexicon(paths), "the AES on picorv32, its uart")) == ["picorv32"]


def test_a_folder_with_most_of_the_files_is_the_repository():
    assert named_parts(lexicon(("quux/a.v", "quux/b.v", "c.v")), "quux") == {}


def test_other_folders_count_a_little():
    assert scope_match(lexicon(), "the axi side").tolist() == [0, 0, 0, 1, 0, 0]


def test_files_elsewhere_stand_behind_in_their_own_order():
    score = np.asarray([0.2, 0.9, 1.5, 0.1, 3.0])
    found = inside_first(score, np.asarray([0, 1]))
    assert np.argsort(-found).tolist() == [1, 0, 4, 2, 3]
    assert found[[0, 1]].tolist() == [0.2, 0.9]
    assert inside_first(score, np.arange(5)) is score


MAKERS = ("acme/a.v", "acme_fast/b.v", "acme_fast/c.v", "other/d.v", "common/e.v", "x.v", "y.v")


def test_a_name_means_all_folders_that_have_it_as_a_word():
    assert sorted(named_parts(lexicon(MAKERS), "the flops of Acme Fast devices")) == [
        *("acme", "acme_fast")
    ]
    assert sorted(named_parts(lexicon(MAKERS), "flops of acme")) == ["acme", "acme_fast"]
    assert sorted(named_parts(lexicon(MAKERS), "flops of acme_fast")) == ["acme_fast"]


def test_a_folder_is_the_place_of_the_answer_where_the_question_says_so():
    held = lexicon(MAKERS)
    for text in ("flops in folder acme", "flops under acme/", "flops in the acme directory",
                 "flops in acme/a.v"):  # fmt: skip
        assert list(placed_parts(held, text)) == ["acme"], text
        assert list(named_parts(held, text)) == ["acme"], text
    assert placed_parts(held, "flops of acme, under other things") == {}


def test_a_named_folder_raises_its_files_and_puts_no_better_one_behind():
    score = np.asarray([0.2, 0.9, 1.5, 0.1, 6.0])
    held, within = lexicon(MAKERS), np.asarray([0, 1])
    assert np.argsort(-named_first(held, "acme", score, within)).tolist() == [4, 1, 0, 2, 3]
    placed = named_first(held, "flops under acme/", score, within)
    assert np.argsort(-placed).tolist() == [1, 0, 4, 2, 3]
