"""Runs a command in a network namespace without interfaces: python alone.py COMMAND [ARGUMENT ...].

Nothing in it can connect to anything, not even to this machine. A user who is not root needs user
namespaces; the command keeps its user and group.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

NEW_USER, NEW_NET = 0x10000000, 0x40000000


def leave_network() -> None:
    """Moves this process into the namespace (OSError where it may not)."""
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if user == 0 and libc.unshare(NEW_NET) == 0:
        return
    if libc.unshare(NEW_USER | NEW_NET) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


if __name__ == "__main__":
    leave_network()
    os.execvp(sys.argv[1], sys.argv[1:])
