"""Settings of elaborations: when one is made, and what its process may take."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.settings.confine import LOWER
from hdlgraph.settings.field import setting


@dataclass(frozen=True, slots=True)
class ElaborateSettings:
    """Elaborations: resolved parameters, expanded generates and chosen definitions below a top."""

    enabled: str = setting(
        "never",
        "always: at the end of every index run, of the largest top; never: only when "
        "`hdlgraph elaborate` asks for it",
        choices=("always", "never"),
        repository=("never",),
    )
    memory_mb: int = setting(
        2048,
        "memory of the process that elaborates in MiB",
        minimum=64,
        maximum=1_048_576,
        repository=LOWER,
    )
    deadline_s: float = setting(
        300.0,
        "seconds before an elaboration is given up",
        minimum=0.1,
        maximum=86_400,
        repository=LOWER,
    )
