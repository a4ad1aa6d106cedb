"""The process of a helper: does searches that come over a pipe, one at a time.

    python -m hdlgraph.project.resident.searcher PIPE ROOT INDEX SETTINGS OWN

PIPE is the number of the open pipe, SETTINGS a settings file or "", OWN 1 where the index lies in
the repository. First it is sent the vectors of the question with which it loads the index. It says
that it is ready with an empty message, and so that it cannot do a search.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from hdlgraph.project.resident.helpers import Asked
from hdlgraph.project.resident.resident import ALONE, WARM_UP, Resident
from hdlgraph.project.workspace.models import Remembering, Vectors


def main(arguments: Sequence[str]) -> None:
    """Answers until the other end of the pipe is closed."""
    from multiprocessing.connection import Connection

    pipe, root, folder, settings, own = arguments
    project = Resident(root, folder, Path(settings) if settings else None, searchers=0)
    project._own_root = own == "1"
    project._models = models = Remembering(project.settings, project._notes)
    with Connection(int(pipe)) as asker, suppress(EOFError, OSError):
        begin = msgspec.msgpack.decode(asker.recv_bytes(), type=Vectors | None)
        if begin is not None:
            models.take(begin)
        project.search(WARM_UP, **ALONE)
        asker.send_bytes(b"")
        while True:
            asker.send_bytes(answer(project, asker.recv_bytes()))


def answer(project: Resident, data: bytes) -> bytes:
    """Returns the encoded result of an encoded search; b"" where this process cannot do it."""
    try:
        asked = msgspec.msgpack.decode(data, type=Asked)
        if asked.vectors is not None and isinstance(project._models, Remembering):
            project._models.take(asked.vectors)
        found = project.searched(asked)
    except Exception:  # the asker does it itself, and tells of its own error
        return b""
    return msgspec.msgpack.encode(found) if found is not None else b""


if __name__ == "__main__":
    main(sys.argv[1:])
