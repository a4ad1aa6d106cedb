"""Starts children of tests as forks of a process that has imported what they need already.

A child of hdlgraph is a new interpreter, which imports for 0.3 s (readers) to 10 s (GraphRAG) of
processor time before it works on a little design. Here a server forks it: arguments, environment,
working directory and streams are those of a new one, and its parent is the test's process. Tests
marked `cold`, those of tests/attack that are not `warm`, and all commands start real ones.
"""

from __future__ import annotations

import ctypes
import fcntl
import inspect
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hdlgraph.safety import child_process

READERS = ("hdlgraph.index.parse.worker", "hdlgraph.index.elaborate.child")
TABLES = ("hdlgraph.index.graphrag.job",)
PRELOADED: dict[tuple[str, ...], tuple[str, ...]] = {
    READERS: (
        *("pyslang", "hdlgraph.parsers.slang.reader", "hdlgraph.parsers.treesitter.units"),
        *("hdlgraph.parsers.pyverilog.join", "hdlgraph.parsers.merge", "hdlgraph.parsers.rtl"),
        *("pyverilog.vparser.parser", "pyverilog.vparser.preprocessor"),
    ),
    TABLES: (
        *("graphrag.api", "graphrag.index.workflows", "graphrag_llm.embedding"),
        *("hdlgraph.index.graphrag.pipeline", "hdlgraph.index.graphrag.entity_vectors"),
        *("hdlgraph.graph.graph", "hdlgraph.index.embed.embedder", "pyarrow.parquet"),
    ),
}
"""Modules that children of these kinds import, beside those of the module that they run.

None starts a thread of Python's, as lancedb does: a fork would not have it.
"""
ENDS = ("p2cread", "c2pwrite", "errwrite")
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
"""Names of the descriptors of streams in `Popen`: those of the child, and all."""
HIGH = 200
"""File descriptors from here on are free in a server."""
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_servers: dict[tuple[str, ...], tuple[socket.socket, subprocess.Popen[bytes]]] = {}
cold_start = child_process.start


def start(
    module: str,
    *arguments: str,
    root: Path | None = None,
    cwd: Path | str = os.sep,
    extra: Mapping[str, str] | None = None,
    **streams: Any,
) -> subprocess.Popen[bytes]:
    """Starts a module as `child_process.start` does, of a warm server where there is one."""
    kind = next((kind for kind in PRELOADED if module in kind), None)
    if kind is None or sys.platform != "linux":
        return cold_start(module, *arguments, root=root, cwd=cwd, extra=extra, **streams)
    return _Forked(
        [module, *arguments],
        cwd=str(cwd),
        env={**child_process.environment(root), **(extra or {})},
        server=_server(kind, extra or {}),
        **streams,
    )


def run_script(path: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a script of tests that builds GraphRAG's tables, with all that they need imported."""
    if sys.platform == "linux":
        from hdlgraph.index.graphrag import build

        server, pipe = _server(TABLES, build._environment()), subprocess.PIPE
        given = [str(path), *arguments]
        child = _Forked(given, server, cwd=Path.cwd(), env=os.environ, stdout=pipe, stderr=pipe)
    else:
        given = [sys.executable, str(path), *arguments]
        child = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with child:
        out, said = child.communicate(timeout=300)
    return subprocess.CompletedProcess(given, child.returncode, out, said)


class _Forked(subprocess.Popen[bytes]):
    """A child that a server forks and this process inherits; all else is Popen's."""

    def __init__(self, args: Sequence[str], server: socket.socket, **options: Any) -> None:
        self._server = server
        super().__init__(args, **options)

    def _execute_child(self, *values: Any) -> None:
        given = inspect.signature(super()._execute_child).bind(*values).arguments
        handles = {number: given[name] for number, name in enumerate(ENDS) if given[name] != -1}
        handles |= {handle: handle for handle in given["pass_fds"]}
        job = {
            "arguments": given["args"],
            "cwd": str(given["cwd"]),
            "environment": dict(given["env"]),
            "handles": list(handles),
            "parent": os.getpid(),
        }
        payload = json.dumps(job).encode()
        prctl = ctypes.CDLL(None).prctl
        prctl(_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(self._server, [b"."], list(handles.values()))
            self._server.sendall(len(payload).to_bytes(4, "little") + payload)
            self.pid = int.from_bytes(_exactly(self._server, 4), "little")
        finally:
            prctl(_SUBREAPER, 0, 0, 0, 0)
        self._child_created = True
        self._close_pipe_fds(*(given[name] for name in PIPES))


def _server(kind: tuple[str, ...], extra: Mapping[str, str]) -> socket.socket:
    """Returns the connection to the server of a kind of children, started when first needed."""
    if kind not in _servers:
        near, far = socket.socketpair()
        process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__)), str(far.fileno()), *kind],
            pass_fds=[far.fileno()],
            cwd=os.sep,
            env={**child_process.environment(), **extra, "TMPDIR": os.environ.get("TMPDIR", "")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        far.close()
        _servers[kind] = near, process
    return _servers[kind][0]


def end() -> None:
    """Ends the servers."""
    for connection, process in _servers.values():
        connection.close()
        process.wait()
    _servers.clear()


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def serve(connection: socket.socket, kind: tuple[str, ...]) -> None:
    """Forks a child for each message until the other end is closed."""
    import gc
    import importlib

    for name in (*kind, *PRELOADED[kind]):
        importlib.import_module(name)
    for name in kind:  # they run as main programs
        del sys.modules[name]
    gc.freeze()
    while True:
        _, handles, _, _ = socket.recv_fds(connection, 1, 32)
        if not handles:
            return
        size = int.from_bytes(_exactly(connection, 4), "little")
        job = json.loads(_exactly(connection, size))
        between, sent = os.pipe()
        middle = os.fork()
        if middle == 0:  # its child becomes that of the test's process when it ends
            child = os.fork()
            if child == 0:
                _run(job, handles)
            os.write(sent, child.to_bytes(4, "little"))
            os._exit(0)
        os.waitpid(middle, 0)
        for handle in (*handles, sent):
            os.close(handle)
        answer = os.read(between, 4)
        os.close(between)
        connection.sendall(answer)


def _run(job: dict[str, Any], handles: Sequence[int]) -> None:
    """Becomes the child that a job describes, and ends as it ends."""
    import runpy
    import time
    import traceback

    high = [fcntl.fcntl(handle, fcntl.F_DUPFD, HIGH) for handle in handles]
    os.closerange(3, HIGH)
    for handle, number in zip(high, job["handles"], strict=True):
        os.dup2(handle, number)
        os.close(handle)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(number, "w" if number else "r", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)  # what keeps it open
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["cwd"])
    while os.getppid() != job["parent"]:
        time.sleep(0.0002)
    child_process.end_with(job["parent"])
    module, *rest = job["arguments"]
    sys.argv = [module, *rest]
    code: Any = 0
    try:
        if module.endswith(".py"):
            runpy.run_path(module, run_name="__main__")
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), tuple(sys.argv[2:]))
    os._exit(0)  # pyslang lists at length what it does not free
