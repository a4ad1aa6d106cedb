"""Runs the benchmark of growth: `python -m hdlgraph.eval.bench_scale`."""

from __future__ import annotations

from hdlgraph.eval.bench_scale.command import main

raise SystemExit(main())
