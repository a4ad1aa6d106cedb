"""The process that elaborates: a job on stdin, its result on stdout, nothing else.

pyslang may crash, never end or take all memory on hostile input. So this process has limits of
memory, is ended by its parent after a deadline, and can open no file once it has begun.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
import time

import msgspec

from hdlgraph.index.elaborate.bodies import Bodies
from hdlgraph.index.elaborate.compilation import Compiled, Job
from hdlgraph.index.elaborate.drivers import with_drivers
from hdlgraph.safety.peak import peak_mb
from hdlgraph.store.design.elaborated import Elaborated

OUT_OF_MEMORY = 77
"""Exit code where the limit of memory was reached."""
BASE_MB = 384
"""Address space (MiB) of the interpreter and its libraries, on top of the limit."""


def main() -> None:
    """Elaborates the job on stdin."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries that print must not break the answer
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    # Loaded before this process can open no file any more.
    from pyslang import analysis, ast, parsing, syntax  # noqa: F401

    _limit(job.memory_mb)
    try:
        found = elaborate(job)
        data = msgspec.msgpack.encode(found)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    out.write(data)
    out.flush()
    # Taking millions of objects apart would last as long as making them.
    os._exit(0)


def elaborate(job: Job) -> Elaborated:
    """Returns what a design became."""
    started = time.monotonic()
    gc.disable()
    compiled = Compiled(job)
    compiled.elaborate()
    bodies = Bodies(compiled)
    found = bodies.read()
    used = {unit.path for unit in found.units}
    counts, codes, messages = compiled.messages({path for path in job.modules if path not in used})
    found = Elaborated(tops=()) if job.brief else with_drivers(compiled, bodies, found)
    return msgspec.structs.replace(
        found,
        errors=counts.get("error", 0),
        warnings=counts.get("warning", 0),
        codes=codes,
        said=tuple(messages),
        seconds=round(time.monotonic() - started, 3),
        memory_mb=round(peak_mb(), 1),
    )


def _limit(megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # From here on this process opens nothing, whatever an `include says.
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    if megabytes > 0:
        wanted = (megabytes + BASE_MB) * 1024 * 1024
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
