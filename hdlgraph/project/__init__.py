"""Project: everything hdlgraph can do with one repository; every front end calls only this."""

from __future__ import annotations

from hdlgraph.project.browsing import Browsing
from hdlgraph.project.editing import Editing
from hdlgraph.project.hardware.meanings import Meanings
from hdlgraph.project.hardware.unused import Unused
from hdlgraph.project.hardware.verification import Verification
from hdlgraph.project.health import Health
from hdlgraph.project.keeping import Keeping
from hdlgraph.project.pictures import Pictures
from hdlgraph.project.reading import Reading
from hdlgraph.project.shared.publishing import Publishing

__all__ = ["Project"]


class Project(
    Meanings,
    Unused,
    Verification,
    Keeping,
    Editing,
    Browsing,
    Pictures,
    Reading,
    Health,
    Publishing,
):
    """A repository and its index: the one class that the command line and programs use.

    Its methods stand in the modules of this package, by what they are for: `indexing` makes the
    index, `watching` keeps it in step, `asking` answers questions in words, `overview` those about
    the whole design, `design` answers from the graph, `browsing` shows it and the files in pages,
    `pictures` draws it, `hardware.signals` tells how signals are driven, read, clocked and reset,
    `hardware.clocks` clock and reset trees and data that crosses clocks,
    `hardware.constants` what a change of a parameter or macro affects,
    `hardware.meanings` what answers about a name leave open,
    `hardware.registers` the registers that software sees, `hardware.unused` what nothing uses,
    `hardware.reach` who reaches an address, `hardware.verification` what exercises a unit,
    `editing` answers about places in sources, `reading` shows source lines, `sharing` exchanges
    explanations, `shared` publishes an index for many readers, `health` tells the state of the
    index, `keeping` keeps what its user said. All of them start from `repository`, which finds the
    settings and opens the index.
    """
