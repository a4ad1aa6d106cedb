"""Scores files by what is known without their words: role, size, the folder that is named."""

from __future__ import annotations

import numpy as np

from hdlgraph.query.features.feature import Asked, Scores
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.question.scope import scope_match


class Priors:
    """Scores files by their role, their size and the folder that the question names."""

    name = "priors"

    def score(self, asked: Asked) -> Scores:
        """Returns the parts role, size and scope."""
        lexicon, weights = asked.index.lexicon, asked.weights
        return Scores(
            {
                "role": role_part(asked),
                "size": -weights.size * asked.index.part(sizes_of),
                "scope": weights.scope * scope_match(lexicon, asked.question.text),
            }
        )


def sizes_of(index: IndexView) -> np.ndarray:
    """Returns how large the files of an index are, float32 (n_files,)."""
    return np.log1p(index.lexicon.n_lines)


def roles_of(index: IndexView) -> dict[str, np.ndarray]:
    """Returns which files of an index have each of the roles that count, bool (n_files,)."""
    roles = np.asarray(index.lexicon.roles)
    return {role: roles == role for role in ("formal", "testbench", "vendored")}


def role_part(asked: Asked) -> np.ndarray:
    """Returns the role part: test files fall back unless the question is about verification.

    Vendored files fall back a little: of two that are as good the repository's own is meant.
    Where it asks what instantiates something they fall as much further as what is instantiated
    weighs more, or the test benches of a module would stand before the design that holds it.
    """
    question, weights = asked.question, asked.weights
    roles = asked.index.part(roles_of)
    formal = roles["formal"]
    value = weights.verification if question.verification else weights.testbench
    if question.instantiates and not question.verification:
        value *= max(weights.instantiator, 1.0)
    out = np.where(formal | roles["testbench"], value, 0.0)
    out = out + np.where(roles["vendored"], weights.vendored, 0.0)
    if question.formal:
        out = out + np.where(formal, weights.formal, 0.0)
    return out.astype(np.float32)
