"""An encoder of token vectors of two layers with weights by chance, as `train` would write it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _tiny_bert import D, write_tiny_bert

from hdlgraph.index.embed.token_vectors import DIM, FINE_TUNED, FINE_TUNED_FILES
from hdlgraph.train.full.model_folder import write_about


def write_tiny_encoder(folder: Path, texts: list[str]) -> Path:
    """Writes the model, int8, and what is beside it; returns the folder."""
    write_tiny_bert(folder, ["[unused0] [unused1]", *texts], int8=True)
    projection = np.random.default_rng(3).normal(0, 1, (D, DIM)).astype(np.float32)
    np.save(folder / "projection.npy", projection)
    write_about(folder, FINE_TUNED, FINE_TUNED_FILES, {"better": True})
    return folder
