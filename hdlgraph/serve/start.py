"""Where the command `hdlgraph` begins: a warm process runs it, or this one does."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    from hdlgraph.serve.warm.client import run_warm

    arguments = sys.argv[1:]
    try:
        code = run_warm(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("hdlgraph: error: interrupted; finished work is kept\n")
        code = 130
    if code is not None:
        sys.exit(code)
    from hdlgraph.serve.cli.main import main as run_alone

    run_alone(arguments)


if __name__ == "__main__":
    main()
