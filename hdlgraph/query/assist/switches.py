"""What a model may do for a search, and what of that is switched on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from hdlgraph.settings.records import Settings

SWITCHES = ("reword", "decompose", "rerank")


def switches(settings: Settings, given: Mapping[str, bool | None]) -> list[str]:
    """Returns the switches that are on: as given, else as the settings say.

    Files are reordered by default, so without a model that is left out unless it is given.
    """
    given = {**dict.fromkeys(SWITCHES), **given}
    usual = dataclasses.asdict(settings.ask)
    usual["rerank"] &= settings.llm.provider != "none"
    return [name for name, on in given.items() if (usual[name] if on is None else on)]
