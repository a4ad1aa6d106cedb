"""Vectors of length 1, whose products are cosines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def normalised(rows: np.ndarray) -> np.ndarray:
    """Returns the rows scaled to length 1; a zero row stays zero."""
    import numpy as np

    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
