"""Turns passages and questions into one vector per token, for late interaction (ColBERT).

The model is answerai-colbert-small-v1 (Apache-2.0, int8 ONNX, in the wheel of the embedded
embedding model); its file ends before the published projection, so that its 384 numbers a token
are projected here: onto 192 principal directions of the tokens of hardware texts
(`token_projection.npy`, made by `hdlgraph.eval.fit.projection`), normalised, and stored as int8.
Khattab & Zaharia, ColBERT, SIGIR 2020. A model that `hdlgraph train token-encoder` wrote has its
own projection beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed.batches import away, in_batches
from hdlgraph.index.embed.onnx import open_session, open_tokenizer, usable_cores
from hdlgraph.store.token_vectors import SCALE, write_token_vectors

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.settings.records import EmbeddingSettings

MODEL = "colbert"
MODEL_SHA256 = "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0"
TOKENIZER_SHA256 = "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
NAME = "answerai-colbert-small-v1-int8/2"
PROJECTION = Path(__file__).parent / "token_projection.npy"
DIM = 192
QUESTION_TOKENS = 96
PASSAGE_TOKENS = 384
BATCH = 256
QUESTION, PASSAGE = "[unused0]", "[unused1]"
"""The token after the first one, by which the model tells them apart."""
FINE_TUNED = "token-encoder.json"
"""What `train token-encoder` writes beside a model: its checksums, and whether it was better."""
FINE_TUNED_FILES = ("model.onnx", "tokenizer.json", "projection.npy")


class TokenEncoder:
    """Token vectors of texts; loaded at the first call.

    Args:
        folder: of the model and its tokenizer.
        threads: 0 for one per usable core.
        name: changes whenever the vectors of a text would.
        projection: float32 (384, 192), by which the model's numbers become those that are kept.
    """

    dim = DIM

    def __init__(
        self, folder: Path, threads: int = 0, name: str = NAME, projection: Path = PROJECTION
    ) -> None:
        self.name, self.folder, self._file = name, folder, projection
        self._threads = threads or usable_cores()

    def question(self, text: str) -> np.ndarray:
        """Returns float32 (tokens, 192), each row of length 1.

        Only the question's own tokens count: neither the markers nor the [MASK] tokens with which
        ColBERT fills a question up change the order of files (explained samples, measured).
        """
        return self._projected(self._run(self.ids(text, QUESTION, QUESTION_TOKENS))[2:-1])

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Returns from where to where in a question each row of `question` stands."""
        clipped = text[: QUESTION_TOKENS * 32].encode("utf-8", "replace").decode()
        found: list[tuple[int, int]] = self._tokenizer.encode(clipped).offsets[1:-1]
        return found[: QUESTION_TOKENS - 3]

    def passages(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Returns int8 (tokens, 192) of each text: its token vectors times SCALE."""
        import numpy as np

        if not texts:
            return []
        self._session  # noqa: B018  # loaded once, before the threads
        with ThreadPoolExecutor(self._threads) as pool:
            raw = list(pool.map(self.raw, texts))
        # Not in the threads above: the idle threads of a BLAS spin, and would slow the models. And
        # passage by passage, so that no number depends on the neighbours.
        return [np.rint(self._projected(rows) * SCALE).astype(np.int8) for rows in raw]

    def raw(self, text: str) -> np.ndarray:
        """Returns the model's own token vectors of a passage, float32 (tokens, 384)."""
        return self._run(self.ids(text, PASSAGE, PASSAGE_TOKENS))

    def ids(self, text: str, marker: str, limit: int) -> list[int]:
        """Returns a text as numbers of tokens, at most `limit` of them, QUESTION or PASSAGE."""
        # A token spans few characters: cutting first keeps a huge text from being tokenised.
        clipped = text[: limit * 32].encode("utf-8", "replace").decode()
        ids = self._tokenizer.encode(clipped).ids
        first, inner, last = ids[0], ids[1:-1], ids[-1]
        return [first, self._tokenizer.token_to_id(marker), *inner[: limit - 3], last]

    def _projected(self, rows: np.ndarray) -> np.ndarray:
        import numpy as np

        rows = rows @ self.projection
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def _run(self, ids: list[int]) -> np.ndarray:
        import numpy as np

        row = np.asarray([ids], np.int64)
        feed = {"input_ids": row, "attention_mask": np.ones_like(row)}
        feed["token_type_ids"] = np.zeros_like(row)
        return self._session.run(None, feed)[0][0]

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = open_tokenizer(self.folder / "tokenizer.json")
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        return open_session(self.folder / "model.onnx")

    @cached_property
    def projection(self) -> np.ndarray:
        """Returns float32 (384, 192)."""
        import numpy as np

        from hdlgraph.safety.npy import read_array

        return read_array(self._file).astype(np.float32)


def load_token_encoder(embedding: EmbeddingSettings | None = None) -> TokenEncoder:
    """Returns the encoder of token vectors that settings name; None takes the embedded one.

    Raises:
        WeightsMissingError: its weights are absent or not the expected ones.
        UsageError: it was judged no better than the model that it was trained from.
    """
    from hdlgraph.index.embed.embedder import check_weights, weights_folder

    threads = embedding.threads if embedding else 0
    if embedding and embedding.token_path:
        return fine_tuned_encoder(Path(embedding.token_path).expanduser(), threads)
    folder = weights_folder(MODEL)
    check_weights(folder, {"model.onnx": MODEL_SHA256, "tokenizer.json": TOKENIZER_SHA256})
    return TokenEncoder(folder, threads)


def fine_tuned_encoder(folder: Path, threads: int = 0, judged: bool = True) -> TokenEncoder:
    """Returns the encoder that `train token-encoder` wrote; errors as of `load_token_encoder`.

    Args:
        folder: of the model.
        threads: 0 for one per usable core.
        judged: whether it must be what was judged better; False while that is found out.
    """
    from hdlgraph.index.embed.embedder import check_fine_tuned, sha256_of

    if judged:
        known = check_fine_tuned(folder, "embedding.token_path", FINE_TUNED, FINE_TUNED_FILES)
        if not known:
            raise WeightsMissingError(
                f"embedding.token_path {folder}: it has no {FINE_TUNED}; name a folder that "
                "`hdlgraph train token-encoder` wrote"
            )
    files = "+".join(sha256_of(folder / name)[:12] for name in FINE_TUNED_FILES)
    return TokenEncoder(folder, threads, f"token-encoder@{files}", folder / FINE_TUNED_FILES[2])


def write_passages(
    texts: Sequence[str],
    encoder: TokenEncoder,
    cache: Any | None,
    out: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Writes the token vectors of passages; returns how many passages were encoded now.

    `progress` is told how many of the different passages have theirs, known ones included.
    """
    import numpy as np

    found: dict[str, np.ndarray] = {"": np.zeros((0, DIM), np.int8)}
    unique = sorted(set(texts) - {""}, key=lambda t: (len(t), t))
    digests = {t: hashlib.sha256(t.encode("utf-8", "replace")).hexdigest() for t in unique}
    keys = {text: f"{encoder.name}:{digest}" for text, digest in digests.items()}
    known = cache.get_many("late", list(keys.values())) if cache else {}
    for text in unique:
        if keys[text] in known:
            found[text] = np.frombuffer(known[keys[text]], np.int8).reshape(-1, DIM)
    missing = [text for text in unique if text not in found]
    progress(len(unique) - len(missing), len(unique))
    batches = in_batches(missing, encoder, BATCH)
    done = len(unique) - len(missing)
    for at, rows in away(encoder, encoder.passages, batches):
        batch = batches[at]
        done += len(batch)
        found.update(zip(batch, rows, strict=True))
        if cache:
            cache.put_many("late", {keys[t]: v.tobytes() for t, v in zip(batch, rows, strict=True)})
        progress(done, len(unique))
    write_token_vectors(out, [found[text] for text in texts], DIM)
    return len(missing)
