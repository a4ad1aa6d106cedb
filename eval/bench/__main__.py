"""Runs the benchmark: `python -m hdlgraph.eval.bench`."""

from __future__ import annotations

from hdlgraph.eval.bench.bench import main

raise SystemExit(main())
