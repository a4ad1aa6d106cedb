"""Answers question sets and checks citations: `python -m hdlgraph.eval.answers`."""

from __future__ import annotations

from hdlgraph.eval.answers.command import main

raise SystemExit(main())
