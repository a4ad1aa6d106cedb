"""LightRAG itself (`lightrag-hku`) over hdlgraph's graph, without a language model.

Its extraction and its keywords would come from a model. Both are given instead: the graph by
`ainsert_custom_kg` (entities and relationships as GraphRAG's tables have them, the explanation of
each file as its chunk), the keywords from the question (low level its content words, high level its
text). Storage, vector search, walks, choice and order of chunks are LightRAG's own; its budget of
tokens is lifted, so that it can name as many files as are asked for.
"""

from __future__ import annotations

import asyncio
import atexit
import itertools
import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.systems.candidates import Corpus, System
from hdlgraph.eval.systems.lightrag_graph import Knowledge, knowledge
from hdlgraph.eval.systems.plain import dense
from hdlgraph.eval.systems.texts import content_words
from hdlgraph.index.graphrag.entity_vectors import KeptVectors, keep

ALL = 10**9
"""A budget of tokens that nothing exhausts."""
TOP_K = 100
"""Entities and relationships looked for; LightRAG's own default is 40."""
BATCH = 256
SAVE_AFTER = 4096
TIMEOUT_S = 600
_numbers = itertools.count(1)


class Peer:
    """The system `lightrag`, or one of its two levels.

    Args:
        name: its name.
        store: the filled LightRAG.
        mode: LightRAG's name of the level: local, global or hybrid.
        candidates: the paths that count.
    """

    def __init__(self, name: str, store: Store, mode: str, candidates: Iterable[str]) -> None:
        self.name = name
        self.used: ModelUse | None = None
        self._store = store
        self._mode = mode
        self._candidates = frozenset(candidates)

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns at most `k` files, in the order in which LightRAG's answer names them."""
        found = self._store.query(question, self._mode, max(k, TOP_K))
        return [path for path in found if path in self._candidates][:k]


class Store:
    """A LightRAG in a temporary folder, filled with the graph of a corpus.

    Args:
        corpus: whose candidates it holds.
        library: the imported package `lightrag`.
    """

    def __init__(self, corpus: Corpus, library: Any) -> None:
        self._library = library
        self._known = knowledge(corpus)
        embedder = corpus.project.searcher().index.embedder
        if embedder is None:
            raise UsageError(
                f"LightRAG needs embeddings, and {corpus.project.folder} has none that are usable; "
                "index again with `hdlgraph.embedding.provider` set"
            )
        self._embedder: Any = embedder
        self._folder = tempfile.TemporaryDirectory(prefix="hdlgraph-lightrag-")
        self._vectors = Vectors(corpus, self._known, self._embedder)
        self._rag = self._make()
        run(self._rag.initialize_storages())
        run(self._rag.ainsert_custom_kg(self._known.custom_kg()))
        self._vectors.save()

    def _make(self) -> Any:
        from lightrag.utils import EmbeddingFunc, Tokenizer

        model, vectors = self._embedder, self._vectors

        # A plain function: LightRAG copies its settings, a method's object with them.
        async def embed(texts: Sequence[str], context: str = "", **_: Any) -> np.ndarray:
            if context == "query":
                return model.embed(list(texts), query=True)
            return vectors.get(texts)

        return self._library.LightRAG(
            working_dir=self._folder.name,
            workspace=f"corpus{next(_numbers)}",  # its stores are shared in the whole process
            embedding_func=EmbeddingFunc(
                embedding_dim=model.dim, func=embed, max_token_size=ALL, supports_asymmetric=True
            ),
            embedding_batch_num=BATCH,
            embedding_func_max_async=1,
            default_embedding_timeout=TIMEOUT_S,
            llm_model_func=_no_model,
            tokenizer=Tokenizer("words", Words()),
            enable_llm_cache=False,
            vector_db_storage_cls_kwargs={"cosine_better_than_threshold": 0.0},
        )

    def query(self, question: str, mode: str, top_k: int) -> list[str]:
        """Returns paths in the order of LightRAG's answer, without repetition."""
        words = list(dict.fromkeys(content_words(question)))
        param = self._library.QueryParam(
            mode=mode,
            only_need_context=True,
            top_k=top_k,
            chunk_top_k=top_k,
            max_entity_tokens=ALL,
            max_relation_tokens=ALL,
            max_total_tokens=ALL,
            hl_keywords=[question],
            ll_keywords=words or [question],
            enable_rerank=False,
        )
        answer = run(self._rag.aquery_data(question, param))
        return self._known.files(answer.get("data") or {})


class Vectors:
    """Vectors of the texts of a graph; computed ones are kept in the cache folder of the corpus.

    Args:
        corpus: its explanations are embedded whole, as for the embedding baseline.
        known: the graph.
        embedder: the index's model, for entities and relationships.
    """

    def __init__(self, corpus: Corpus, known: Knowledge, embedder: Any) -> None:
        texts = corpus.texts("explanations")
        self._rows = dict(zip(texts, dense(corpus, "explanations").vectors, strict=True))
        self._embedder = embedder
        self._own: dict[str, np.ndarray] = {}
        self._unsaved = 0
        self._file = corpus.cache / f"lightrag-{known.digest()}.npz" if corpus.cache else None
        self._kept = KeptVectors(self._file, embedder.name) if self._file else None

    def get(self, texts: Sequence[str]) -> np.ndarray:
        """Returns the vectors of texts, float32 (n, dim)."""
        unknown = {text for text in texts if text not in self._rows}
        known = self._kept.get(unknown) if self._kept else {}
        fresh = sorted(unknown - known.keys())
        if fresh:
            # Kept and fresh ones are the same to the bit.
            rows = self._embedder.embed(fresh).astype(np.float16).astype(np.float32)
            known.update(zip(fresh, rows, strict=True))
        self._own.update(known)
        self._rows.update(known)
        self._unsaved += len(fresh)
        if self._unsaved >= SAVE_AFTER:  # an interrupted run goes on from here
            self.save()
        return np.stack([self._rows[text] for text in texts]).astype(np.float32)

    def save(self) -> None:
        """Writes what was computed since the last time."""
        if self._file is None or not self._unsaved:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_name(f"{self._file.stem}.{os.getpid()}.npz")
        keep(part, self._embedder.name, self._own)
        part.replace(self._file)
        self._unsaved = 0


class Words:
    """Stands for a tokenizer, which LightRAG would download: nothing here is cut by tokens."""

    def encode(self, text: str) -> list[str]:
        """Returns the words."""
        return text.split()

    def decode(self, tokens: Sequence[str]) -> str:
        """Returns words as text."""
        return " ".join(tokens)


async def _no_model(*_: Any, **__: Any) -> str:
    raise HdlgraphError("LightRAG asked for a language model, which the comparison goes without")


def lightrag(name: str, corpus: Corpus, kind: str, mode: str) -> System:
    """Returns LightRAG, or one level of it; its systems share one store.

    Raises:
        UsageError: it is not installed, or there are no embeddings.
    """
    library = _library(name)
    store = corpus.shared("lightrag", make=lambda: Store(corpus, library))
    return Peer(name, store, mode, corpus.paths)


def _library(name: str) -> Any:
    os.environ.setdefault("PYTHON_DOTENV_DISABLED", "1")  # it would read a .env of any folder
    try:
        import lightrag as library
    except ImportError as error:
        raise UsageError(
            f"system {name}: lightrag-hku is not installed; run `pip install 'hdlgraph[peers]'`"
        ) from error
    import logging

    logging.getLogger("lightrag").setLevel(logging.ERROR)
    return library


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    atexit.register(_close, loop)
    return loop


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Ends LightRAG's workers, which would else complain at the end of the process."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.close()


def run(waiting: Any) -> Any:
    """Returns the result of a coroutine; LightRAG's locks belong to one event loop."""
    return _loop().run_until_complete(waiting)
