"""Tells by its path whether a file is of a testbench or of a proof."""

from __future__ import annotations

import re

_FORMAL = re.compile(
    r"(?:^|/)(?:fpv|formal|sva|fv|jasper|yosys|symbiyosys|assertions?)(?:/|$)"
    r"|_(?:fpv|sva|formal|assert_fpv|assertions?|props|properties|svas)(?:_\w+)?\.\w+$"
    r"|(?:^|/)(?:fv_|formal_)"
)
_TESTBENCH = re.compile(
    r"(?:^|/)(?:dv|tb|tbs|test|tests|testbench|testbenches|bench|sim|simulation|simulator|uvm|uvmt|"
    r"verif|verification|verilator|cosim|bhv|tests?_\w+|\w+_tests?|\w+_tb|env|seq_lib|"
    r"riscv[-_]dv|google_riscv-dv|core-v-verif|lec)/"
    r"|(?:^|/)(?:tb_|testbench)[^/]*$|_(?:tb|test|testbench|bfm|scoreboard|vseq|agent_pkg|env|"
    r"env_pkg|env_cfg|env_cov|test_pkg|tb_pkg|cov|bind)\.\w+$"
)


def is_formal(path: str) -> bool:
    """Returns whether a path is that of a proof or of assertions.

    Args:
        path: relative to the repository root, POSIX, in lower case.
    """
    return _FORMAL.search(path) is not None


def is_testbench(path: str) -> bool:
    """Returns whether a path is that of a testbench; the argument as of `is_formal`."""
    return _TESTBENCH.search(path) is not None
