"""Runs Graphviz in a process of its own: DOT comes in on stdin, the layout goes out as JSON.

Its libraries are written in C, and how long they take depends on the picture: here neither a
crash nor a long layout reaches whoever wants the picture.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Lays the graph on stdin out with dot."""
    import pygraphviz

    graph = pygraphviz.AGraph(sys.stdin.buffer.read().decode("ascii"))
    sys.stdout.buffer.write(graph.draw(format="json0", prog="dot"))


if __name__ == "__main__":
    main()
