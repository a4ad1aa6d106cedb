"""Runs the command line where the package is on the path but its program is not."""

from hdlgraph.serve.start import main

if __name__ == "__main__":
    main()
