"""Where the command `hdlgraph` begins: a warm process runs it, or this one does."""

from __future__ import annotations

import sys

from hdlgraph.serve.warm import COMMANDS


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in COMMANDS:
        from hdlgraph.serve.warm.client import run_warm

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
