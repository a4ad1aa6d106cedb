"""A process may have many files open: each mapped array of an index keeps its own."""

from __future__ import annotations

import resource
import subprocess
import sys

from hdlgraph.safety.open_files import MANY

LOWERED = """
import resource
from hdlgraph.safety.open_files import allow_many
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
allow_many()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def test_a_low_limit_is_raised_as_far_as_the_system_lets_it() -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOWERED], capture_output=True, text=True, check=True
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert int(found.stdout) == (MANY if hard == resource.RLIM_INFINITY else min(MANY, hard))
