"""Project: everything hdlgraph can do with one repository; every front end calls only this."""

from __future__ import annotations

from hdlgraph.project.browsing import Browsing
from hdlgraph.project.health import Health
from hdlgraph.project.keeping import Keeping
from hdlgraph.project.reading import Reading
from hdlgraph.project.sharing import Sharing

__all__ = ["Project"]


class Project(Keeping, Browsing, Reading, Sharing, Health):
    """A repository and its index: the one class that the command line and programs use.

    Its methods stand in the modules of this package, by what they are for: `indexing` makes the
    index, `asking` answers questions in words, `overview` those about the whole design, `design`
    answers from the graph, `browsing` shows it and the files in pages, `reading` source lines,
    `sharing` exchanges explanations, `health` tells the state of the index, `keeping` keeps what
    its user said. All of them start from `repository`, which finds the settings and opens the
    index.
    """
