"""How the room for shown lines is shared out between files, for each kind of reader."""

from __future__ import annotations

from dataclasses import dataclass

FLOOR = 0.5
"""Worth of the least piece that a file but the first shows, in worths of the best."""
ELSEWHERE = 0.14  # of the budget for what other files declare


@dataclass(frozen=True, slots=True)
class Shape:
    """How the room is shared out.

    `shares` are those of each file by rank, what a file does not need goes to the next ones;
    `named` the same where the question names the first file. At most `files` are shown, to which a
    declaration or a small module elsewhere may add one or two; `small` are the tokens of a module
    that is instantiated in what is shown. Where the question asks who uses something, the places
    have the share `users`. Lists of ports and parameters that
    nobody asks for are left out where it is not `whole`.
    """

    shares: tuple[float, ...]
    named: tuple[float, ...]
    files: int
    small: int
    users: float = 0.4
    whole: bool = True
    floor: float = FLOOR
    elsewhere: float = ELSEWHERE


MODEL = Shape((0.5, 0.25, 0.15, 0.1), (0.64, 0.18, 0.1, 0.08), 5, 560)
"""For a model, which reads all of it."""
QUOTED = Shape((0.86, 0.09, 0.05), (0.9, 0.06, 0.04), 3, 400, whole=False)
"""For a person, who reads the first file."""
DOUBTFUL = Shape(
    *((0.64, 0.13, 0.12, 0.11), (0.64, 0.13, 0.12, 0.11), 4, 400),
    whole=False,
    floor=0.1,
    elsewhere=0.0,
)
"""For a person where the search is unsure: the best lines of several files."""
USERS = Shape((0.7, 0.3), (0.7, 0.3), 3, 400, users=0.8, whole=False)
"""For a person who asks for the places that use something."""
