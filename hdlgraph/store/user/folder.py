"""The folder of a user's own data about one index: for this user alone, not in the repository."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from hdlgraph.errors import UsageError

DATA = "HDLGRAPH_DATA"
"""The variable of the environment that names another folder than the usual one."""


def user_folder(index: Path) -> Path:
    """Returns the folder for data about an index, made where there is none; mode 0700.

    It lies below `$HDLGRAPH_DATA`, else `$XDG_DATA_HOME/hdlgraph`, else `~/.local/share/hdlgraph`,
    and is called after the repository and a hash of the index folder's path.

    Raises:
        UsageError: it cannot be made, is a link, or belongs to somebody else.
    """
    named = os.environ.get(DATA, "")
    shared = os.environ.get("XDG_DATA_HOME", "") or "~/.local/share"
    base = Path(named).expanduser() if named else Path(shared).expanduser() / "hdlgraph"
    place = index.resolve()
    repository = place.parent.name if place.name == ".hdlgraph" else place.name
    known = "".join(ch if ch.isalnum() or ch in "-_." else "_" for ch in repository)[:60]
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
    folder = base / f"{known or 'index'}-{digest}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise UsageError(f"{folder}: is no folder of your own; name another with {DATA}")
        folder.chmod(0o700)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be made ({error.strerror}); name another with {DATA}"
        ) from error
    return folder
