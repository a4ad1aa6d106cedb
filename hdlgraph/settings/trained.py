"""Settings of models that were trained on a team's own questions."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.settings.field import setting


@dataclass(frozen=True, slots=True)
class TrainedSettings:
    """Models that `hdlgraph train` made."""

    path: str = setting(
        "",
        "folder of the models that `hdlgraph train` wrote; those that were judged better on "
        "questions kept aside are used. Empty uses none, also where an index came with some",
    )
