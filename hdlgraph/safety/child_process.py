"""Child processes of hdlgraph: what they may import, and that none outlives its parent.

    python -P -m hdlgraph.safety.child_process PARENT MODULE [ARGUMENT ...]

runs a module like `python -m MODULE` does, but with nothing of the working directory on the
import path, and ends with the process PARENT. The working directory and the environment of a
command belong to whoever stands in a repository of strangers: a `msgspec.py` there must not run.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

SEARCH, SAFE = "PYTHONPATH", "PYTHONSAFEPATH"
UNWANTED = ("PYTHONSTARTUP", "PYTHONINSPECT")
FOLDERS = ("PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX")
"""Variables that name a folder of modules; a relative one means the working directory."""
POLL_S = 0.5
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def start(
    module: str,
    *arguments: str,
    root: Path | None = None,
    cwd: Path | str = os.sep,
    extra: Mapping[str, str] | None = None,
    **streams: Any,
) -> subprocess.Popen[bytes]:
    """Starts a module as a child of the present thread, whose end it does not survive.

    Args:
        module: what `python -m` would run.
        arguments: its command line.
        root: the repository; no folder in it is searched for modules.
        cwd: its working directory; by default no repository.
        extra: variables added to its environment.
        streams: stdin, stdout and stderr of Popen.
    """
    import subprocess

    return subprocess.Popen(
        command(module, *arguments),
        cwd=cwd,
        env={**environment(root), **(extra or {})},
        **streams,
    )


def command(module: str, *arguments: str) -> list[str]:
    """Returns the command line of a child of this process."""
    # -P keeps the working directory, which may hold anything, off the import path.
    head = [sys.executable, "-P", "-m", "hdlgraph.safety.child_process"]
    return [*head, str(os.getpid()), module, *arguments]


def environment(root: Path | None = None) -> dict[str, str]:
    """Returns the variables of a child: ours, without those that bring modules of strangers.

    Of PYTHONPATH only absolute folders outside of `root` stay: a relative entry, and an empty
    one too, means the working directory.
    """
    found = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    for name in FOLDERS:
        if not Path(found.get(name, "/")).is_absolute():
            del found[name]
    entries = found.pop(SEARCH, "").split(os.pathsep)
    kept = [entry for entry in entries if _is_ours(entry, root)]
    if kept:
        found[SEARCH] = os.pathsep.join(kept)
    # For children of children, and for those that libraries start.
    found[SAFE] = "1"
    return found


def _is_ours(entry: str, root: Path | None) -> bool:
    if not Path(entry).is_absolute():
        return False
    place = Path(entry).resolve()
    # Whoever indexes the sources of hdlgraph itself runs them from there.
    if root is None or place == Path(__file__).resolve().parents[2]:
        return True
    return not place.is_relative_to(root.resolve())


def clean_environment(root: Path | None = None) -> None:
    """Gives this process the environment of its children, for those that libraries start."""
    wanted = environment(root)
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)


@contextmanager
def cleaned_environment(root: Path | None = None) -> Iterator[None]:
    """Cleans the environment for the length of a `with` block, which starts a process."""
    former = dict(os.environ)
    clean_environment(root)
    try:
        yield
    finally:
        for name in set(os.environ) - set(former):
            del os.environ[name]
        os.environ.update(former)


def end_with(parent: int) -> None:
    """Makes this process end with its parent, or at once where that is gone already.

    Linux sends SIGKILL, also to one that is busy in a library, when the thread that started this
    process ends. Elsewhere a thread looks for the parent twice a second.

    Args:
        parent: process id of the parent, as that knows it itself.
    """
    if not _ask_for_signal():
        threading.Thread(target=watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before it was asked for
        os._exit(1)


def _ask_for_signal() -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    zero = ctypes.c_ulong(0)
    prctl = ctypes.CDLL(None).prctl
    return prctl(_SET_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL), zero, zero, zero) == 0


def watch(parent: int) -> None:
    """Ends this process, without any clean-up, soon after its parent's end."""
    while os.getppid() == parent:
        time.sleep(POLL_S)
    os._exit(1)


def main(arguments: Sequence[str]) -> None:
    """Runs the module that the arguments name as the main program."""
    import runpy

    parent, module, *rest = arguments
    end_with(int(parent))
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
