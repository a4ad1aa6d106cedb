"""The ablations: each takes away what its name says, and nothing else."""

import dataclasses

import pytest

from hdlgraph.errors import HdlgraphError
from hdlgraph.eval.protocols.ask import ask
from hdlgraph.eval.scores.score import Judge
from hdlgraph.eval.sets.line import Question as Asked
from hdlgraph.eval.systems import own
from hdlgraph.eval.systems.candidates import Corpus
from hdlgraph.eval.systems.own import ABLATIONS, WeighedSearcher
from hdlgraph.eval.systems.registry import SYSTEMS, make_system
from hdlgraph.project import Project
from hdlgraph.query.weights import Weights

QUESTION = "Which block sends bytes on the serial line?"


@pytest.fixture(scope="module")
def corpus(soc_project):
    return Corpus(soc_project, tuple(sorted(soc_project.manifest().files)))


def searcher(corpus, part):
    return make_system(f"hdlgraph-no-{part}", corpus)._searcher


def test_every_ablation_is_a_system_and_ranks_every_file(corpus):
    for part in ABLATIONS:
        system = make_system(f"hdlgraph-no-{part}", corpus)
        assert sorted(system.rank(QUESTION, 1000)) == sorted(corpus.paths)
    assert {f"hdlgraph-no-{part}" for part in [*ABLATIONS, "abbreviations"]} <= set(SYSTEMS)


@pytest.mark.parametrize("part", sorted(ABLATIONS))
def test_only_the_named_weights_are_gone(corpus, part):
    known = corpus.project.searcher().weights(None)
    left = searcher(corpus, part).weights(None)
    changed = {
        one.name
        for one in dataclasses.fields(Weights)
        if getattr(known, one.name) != getattr(left, one.name)
    }
    assert changed == {name for name in ABLATIONS[part] if getattr(known, name)}
    assert not any(getattr(left, name) for name in ABLATIONS[part])


def test_without_words_the_words_count_nothing(corpus):
    parts = searcher(corpus, "lexical").ranking(QUESTION, 0).parts
    assert not any(parts[name].any() for name in ABLATIONS["lexical"])
    assert parts["token_vectors"].any()
    assert parts["purpose"].any()


def test_without_vectors_no_model_is_loaded(corpus):
    found = searcher(corpus, "dense")
    assert found.index.embedder is None
    assert found.index.encoder is None
    assert found.ranking(QUESTION, 1).parts.keys() & set(ABLATIONS["dense"]) == set()
    only = searcher(corpus, "token-vectors").index
    assert only.encoder is None
    assert only.embedder is corpus.project.searcher().index.embedder


def test_without_the_graph_no_edge_is_walked(corpus):
    assert make_system("hdlgraph-no-graph", corpus)._hops == 0
    assert make_system("hdlgraph-no-dense", corpus)._hops == 1


def test_names_in_a_question_are_words_like_others(corpus):
    parts = searcher(corpus, "names").ranking("What does uart_tx do?", 0).parts
    assert not parts["identifier"].any()


def test_short_forms_keep_the_rest_of_the_search(corpus):
    """Once the search without short forms was also without token vectors."""
    for name in ("hdlgraph-no-abbreviations", "hdlgraph-dictionary"):
        found = make_system(name, corpus)._searcher
        assert found.ranking(QUESTION, 1).parts["token_vectors"].any(), name


def test_an_ablation_of_nothing_is_refused(corpus, monkeypatch):
    monkeypatch.setitem(own.ABLATIONS, "roles", ("testbench", "renamed_weight"))
    with pytest.raises(HdlgraphError, match=r"hdlgraph-no-roles: .*no weight renamed_weight"):
        make_system("hdlgraph-no-roles", corpus)


def test_folded_hits_stand_for_their_copies(soc):
    (soc / "old").mkdir()
    (soc / "old" / "uart_tx.sv").write_text((soc / "rtl" / "uart_tx.sv").read_text())
    project = Project(soc)
    project.index(embeddings=False, graphrag="never", jobs=1)
    corpus = Corpus(project, tuple(sorted(project.manifest().files)))
    plain, folded = (make_system(name, corpus) for name in ("hdlgraph", "hdlgraph-folded"))
    every = plain.rank(QUESTION, 100)
    assert sorted(every) == list(corpus.paths)
    assert plain.copies(every) == {}
    one, other = sorted(("old/uart_tx.sv", "rtl/uart_tx.sv"), key=every.index)
    assert folded.rank(QUESTION, 100) == [path for path in every if path != other]
    assert folded.copies([one, "rtl/timer.v"]) == {one: (other,)}
    asked = [Asked("q", QUESTION, (other,))]
    (ranking,) = ask("hdlgraph-folded", corpus, asked, 100).rankings
    assert ranking.copies == {one: (other,)}
    judge = Judge(project, corpus.paths, asked, (1, 10), {other: "rtl"})
    scored = judge.measure(ask("hdlgraph-folded", corpus, asked, 100))
    strict, lenient = scored.measures["recall@10"].mean, scored.measures["lenient@10"].mean
    assert (strict, lenient) == (0.0, 1.0)
    assert (scored.ranks, scored.lenient_ranks) == ((0,), (every.index(one) + 1,))


def test_the_other_searcher_is_left_as_it_is(corpus):
    known = corpus.project.searcher()
    before = known.weights(None)
    WeighedSearcher(known, ABLATIONS["lexical"]).search(QUESTION)
    assert known.weights(None) == before
