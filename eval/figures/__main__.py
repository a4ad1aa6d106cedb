"""Writes the figures of README.md: `python -m hdlgraph.eval.figures`."""

from __future__ import annotations

from hdlgraph.eval.figures.command import main

raise SystemExit(main())
