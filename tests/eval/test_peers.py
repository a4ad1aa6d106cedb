"""GraphRAG's local search and LightRAG over a real index, against their own code."""

import shutil

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.systems.candidates import Corpus
from hdlgraph.eval.systems.lightrag_graph import knowledge
from hdlgraph.eval.systems.registry import make_system
from hdlgraph.project import Project

QUESTIONS = (
    "Which block sends bytes on the serial line?",
    "What decides which bus master goes first?",
    "Where is the clock of the timer divided?",
)


def corpus_of(project, cache=None, paths=None):
    return Corpus(project, tuple(sorted(paths or project.manifest().files)), cache)


@pytest.fixture(scope="module")
def with_tables(soc_project, tmp_path_factory):
    root = tmp_path_factory.mktemp("tables") / "soc"
    shutil.copytree(soc_project.root, root)
    project = Project(root)
    project.index(graphrag="always")
    return project


def test_graphrag_says_what_to_run_where_there_are_no_tables(soc_project):
    with pytest.raises(
        UsageError, match=r"graphrag-local: .*absent .*; run `hdlgraph index .*always`"
    ):
        make_system("graphrag-local", corpus_of(soc_project))


def test_graphrag_ranks_files_once_and_the_same_way_again(with_tables):
    corpus = corpus_of(with_tables)
    first, again = (make_system("graphrag-local", corpus) for _ in range(2))
    for question in QUESTIONS:
        ranked = first.rank(question, 100)
        assert ranked
        assert len(set(ranked)) == len(ranked)
        assert set(ranked) <= set(corpus.paths)
        assert again.rank(question, 100) == ranked
        assert first.rank(question, 2) == ranked[:2]


def test_graphrag_order_is_that_of_its_own_context(with_tables):
    system = make_system("graphrag-local", corpus_of(with_tables))
    from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext

    own = LocalSearchMixedContext(
        entities=list(system.entities.values()),
        entity_text_embeddings=system.store,
        text_embedder=system.model,
        text_units=list(system.units.values()),
        relationships=system.relationships,
    )
    paths = {unit.short_id: system._paths[unit.id] for unit in system.units.values()}
    for question in QUESTIONS:
        context = own.build_context(question, max_context_tokens=10**6, community_prop=0.0)
        shown = list(dict.fromkeys(paths[n] for n in context.context_records["sources"]["id"]))
        assert shown
        assert system.rank(question, 1000)[: len(shown)] == shown


def test_graphrag_keeps_to_the_candidates(with_tables):
    some = sorted(with_tables.manifest().files)[::3]
    ranked = make_system("graphrag-local", corpus_of(with_tables, paths=some)).rank(
        QUESTIONS[0], 100
    )
    assert ranked
    assert set(ranked) <= set(some)


def test_the_graph_given_to_lightrag_is_whole_and_inside_the_candidates(soc_project):
    some = sorted(soc_project.manifest().files)[::2]
    found = knowledge(corpus_of(soc_project, paths=some))
    given = found.custom_kg()
    names = {one["entity_name"] for one in given["entities"]}
    assert len(names) == len(given["entities"])
    assert given["relationships"]
    for relation in given["relationships"]:
        assert {relation["src_id"], relation["tgt_id"]} <= names
        assert relation["src_id"] != relation["tgt_id"]
    places = {one["source_id"] for kind in given.values() for one in kind}
    assert places == set(some)
    assert [one["content"].split("\n")[0] for one in given["chunks"]] == some


def test_lightrag_that_is_not_installed_is_named_with_the_remedy(soc_project, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lightrag", None)
    with pytest.raises(UsageError, match=r"lightrag-hku is not installed; run `pip install"):
        make_system("lightrag-low", corpus_of(soc_project))


@pytest.mark.parametrize("name", ["lightrag-low", "lightrag-high", "lightrag"])
def test_lightrag_ranks_files_and_keeps_its_vectors(soc_project, tmp_path_factory, name):
    pytest.importorskip("lightrag", reason="`pip install 'hdlgraph[peers]'` for LightRAG")
    cache = tmp_path_factory.mktemp("vectors")
    before = sorted(p for p in soc_project.root.rglob("*") if p.is_file())
    corpus = corpus_of(soc_project, cache)
    ranked = [make_system(name, corpus).rank(question, 100) for question in QUESTIONS]
    for files in ranked:
        assert files
        assert len(set(files)) == len(files)
        assert set(files) <= set(corpus.paths)
    kept = sorted(cache.glob("lightrag-*.npz"))
    assert len(kept) == 1
    stamp = kept[0].stat().st_mtime_ns
    again = make_system(name, corpus_of(soc_project, cache))
    assert [again.rank(question, 100) for question in QUESTIONS] == ranked
    assert kept[0].stat().st_mtime_ns == stamp
    assert sorted(p for p in soc_project.root.rglob("*") if p.is_file()) == before
