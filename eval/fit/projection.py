"""Makes `hdlgraph/index/embed/token_projection.npy`: principal directions of token vectors.

    python -m hdlgraph.eval.fit.projection OUT.npy INDEX...

Takes every 40th passage of the indexes (no question has a part in it), encodes it, and writes the
first 192 right singular vectors of its tokens' vectors as float16 (384, 192). OUT.json beside it
says which indexes these were.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.index.embed.token_vectors import DIM, NAME, load_token_encoder
from hdlgraph.store.manifest import read_manifest
from hdlgraph.store.surfaces import StoredSurfaces

STEP = 40


def project(folders: list[Path]) -> np.ndarray:
    """Returns the projection, float16 (384, 192)."""
    encoder = load_token_encoder()
    texts: list[str] = []
    for folder in folders:
        stored = StoredSurfaces.find(folder / f"gen-{read_manifest(folder).generation}")
        texts += [surface.text for surface in stored.texts[::STEP]] if stored else []
    gram = np.zeros((384, 384))
    for text in texts:
        rows = encoder.raw(text).astype(np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        gram += rows.T @ rows
    _, _, directions = np.linalg.svd(gram)
    return directions[:DIM].T.astype(np.float16)


def record(out: Path, folders: list[Path]) -> None:
    """Writes beside a projection what it was made from: its checksum, the model, the indexes."""
    indexes = [[read_manifest(folder).root.rpartition("/")[2], folder.name] for folder in folders]
    about = {
        "sha256": hashlib.sha256(out.read_bytes()).hexdigest(),
        "made_by": "python -m hdlgraph.eval.fit.projection",
        "model": NAME,
        "texts": f"every {STEP}th passage of the indexes; no question",
        "indexes": indexes,
        "note": "indexes: [name of the repository's folder, name of the index folder]",
    }
    out.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the projection of some indexes, and what it was made of beside it."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.fit.projection")
    parser.add_argument("out", type=Path, help="the .npy file that is written")
    parser.add_argument("indexes", nargs="+", type=Path, metavar="INDEX")
    given = parser.parse_args(arguments)
    np.save(given.out, project(given.indexes))
    record(given.out, given.indexes)


if __name__ == "__main__":
    raise SystemExit(main())
