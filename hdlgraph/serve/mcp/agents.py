"""The text for AGENTS.md that teaches the commands to a model with a shell."""

from __future__ import annotations

AGENTS = """\
## Finding RTL with hdlgraph

This repository has an index of its Verilog/SystemVerilog. Ask it before you grep:

- `hdlgraph search "QUESTION" --json --cards -k 10`: files that answer a design question, best
  first: path, role, what each does, two lines of it. Plain words or identifiers.
- `hdlgraph show NAME --json`: ports, parameters, instances, parents of a module, package, type.
- `hdlgraph who NAME --json`: every place that uses a name. `hdlgraph tree TOP --depth 2 --json`:
  instances below it. `hdlgraph path A B --json`, `hdlgraph impact NAME --json`.
- `hdlgraph read PATH:10-60 --json`: lines of a file by their numbers.
- `hdlgraph ask "QUESTION" --json`: quoted lines that answer it, with their places.

Each prints one JSON object. `stale` lists files that changed since they were indexed: read those
again, or run `hdlgraph index`. `truncated` says how to get more. Exit code 2: the message on
stderr says what to mend.
"""
