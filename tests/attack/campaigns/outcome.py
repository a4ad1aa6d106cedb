"""What a campaign found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outcome:
    """One row of the table: `failures` names each attack that did harm; `figure` is measured."""

    attack: str
    tried: int
    failures: tuple[str, ...] = ()
    figure: str = ""
    seconds: float = field(default=0.0, compare=False)
