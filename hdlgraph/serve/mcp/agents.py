"""The text for AGENTS.md that teaches the commands to a model with a shell."""

from __future__ import annotations

AGENTS = """\
## Finding RTL with hdlgraph

This repository has an index of its Verilog/SystemVerilog. Ask it before you grep:

- `hdlgraph search "QUESTION" --json --cards -k 10`: files that answer a design question, best
  first: path, role, what each does, two lines of it. Plain words or identifiers.
- `hdlgraph show NAME`: ports, parameters, instances, parents of a module, package, type.
- `hdlgraph who NAME`: every place that uses a name. `hdlgraph tree TOP --depth 2`: instances
  below it. `hdlgraph path A B`: how two names are joined. `hdlgraph impact NAME`.
- `hdlgraph read PATH:10-60 --json`: lines of a file by their numbers.
- `hdlgraph ask "QUESTION"`: quoted lines that answer it, with their places.

All of them take `--json` and then print one object, which is up to ten times as long as the text:
of a large unit, `tree` and `impact` are better read as text, with `--depth 1` or through `head`.
`stale`, or a note, lists files that changed since they were indexed: read those again, or run
`hdlgraph index`. Exit code 2: the message on stderr says what to mend.
"""
