"""The tables of general knowledge: well-formed, and found by the words of a question."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.knowledge.structures import structures
from hdlgraph.knowledge.tables import lines
from hdlgraph.knowledge.thesaurus import MAX_WORDS, paraphrases, related
from hdlgraph.query.question.analyse import Expansion, analyse
from hdlgraph.words import content_stems, split_identifier, stem


class Words:
    """A lexicon in which the given terms are in one file of ten."""

    n_files = 10
    mined: dict = {}
    projects: tuple = ()
    defined: tuple = ()
    team = None

    def __init__(self, *terms):
        self.known = {stem(term) for term in terms}

    def know(self, terms):
        """Is told which terms are looked at next."""

    def document_frequency(self, term, field="post"):
        return int(term in self.known)

    def idf(self, frequency, total=None):
        return 2.0 if frequency else 3.0


def members(question, *terms, expansion=Expansion()):
    groups = analyse(question, Words(*terms), expansion).groups
    return {group.term: dict(group.members) for group in groups}


def test_every_line_of_the_thesaurus_has_a_word_and_terms():
    heads = [line.partition(" = ")[0] for line in lines("thesaurus.txt")]
    assert len(heads) > 3000
    assert heads == sorted(set(heads))
    for line in lines("thesaurus.txt"):
        head, equals, terms = line.partition(" = ")
        assert equals and head == head.strip().lower() and terms.strip(), line  # noqa: PT018
        assert all(re.fullmatch(r"[a-z0-9]+", t) for t in terms.split(", ")), line
        assert len(split_identifier(head)) >= 1 and head.isascii(), line  # noqa: PT018


def test_every_structure_has_names_and_descriptions():
    known = structures()
    names = [structure.name.lower() for structure in known]
    assert len(known) > 600
    assert names == sorted(set(names))
    for structure in known:
        assert structure.spellings[0] == structure.name
        assert all(structure.what)


def test_an_everyday_word_finds_what_rtl_says():
    assert stem("arbiter") in related()[("arbitr",)]
    # "evict" is not in the repository's words; "victim", one of its terms, is.
    assert members("Which line gets evicted?", "victim")["evict"] == {
        "evict": 1.0,
        "victim": 0.1333,
    }
    assert members("Which line gets evicted?", "unknown")["evict"] == {"evict": 1.0}


def test_a_phrase_hangs_its_terms_on_its_last_word():
    found = paraphrases(content_stems("what happens on a source id clash"))
    assert set(related()[("sourc", "id")]) <= set(found["id"])
    assert not set(related()[("sourc", "id")]) <= set(found.get("clash", ()))


def test_what_the_question_says_itself_is_no_paraphrase():
    groups = members("Which victim line is evicted?", "victim")
    assert groups["evict"] == {"evict": 1.0}
    assert groups["victim"]["victim"] == 1.0


def test_paraphrases_can_be_switched_off():
    off = Expansion(related=0.0)
    assert members("Which line gets evicted?", "victim", expansion=off)["evict"] == {"evict": 1.0}


@given(st.lists(st.sampled_from(sorted({w for key in related() for w in key})), max_size=12))
def test_paraphrases_are_those_of_the_table(words):
    runs = {tuple(words[i : i + n]) for i in range(len(words)) for n in range(1, MAX_WORDS + 1)}
    wanted = {}
    for run in runs & related().keys():
        wanted.setdefault(run[-1], set()).update(related()[run])
    assert {word: set(terms) for word, terms in paraphrases(words).items()} == wanted
