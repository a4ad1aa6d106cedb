"""The trained models that a search uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdlgraph.query.trained.order import TrainedOrder
from hdlgraph.query.trained.query_map import mapped


@dataclass(frozen=True)
class TrainedSearch:
    """Models of a search for files; None stands for one that is not in use.

    `matrix` maps the question before it is compared with the surfaces of files, float32 (d, d);
    `order` puts the first files in order.
    """

    matrix: np.ndarray | None = None
    order: TrainedOrder | None = None

    def question(self, vector: np.ndarray) -> np.ndarray:
        """Returns the vector of a question as it is compared with surfaces."""
        return vector if self.matrix is None else mapped(vector, self.matrix)
