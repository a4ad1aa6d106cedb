"""Limits on what is read and kept of one file, so that huge generated files stay cheap."""

from __future__ import annotations

DEEP_BYTES = 8_000_000
"""Larger files are read by text only (units, ports, instances by regular expression)."""
SCAN_BYTES = 24_000_000
"""Of a file that is read by text only, and of a header, so many bytes are read."""
WITNESS_BYTES = 200_000
"""Larger Verilog-2001 files are not read by PyVerilog as well."""
WITNESS_SECONDS = 2.0
SIGNALS = 4000
"""Per unit."""
PROCESSES = 2000
"""Per unit."""
FILE_SIGNALS = 40_000
FILE_PROCESSES = 20_000
FILE_CONNECTIONS = 40_000
NAMES_PER_PROCESS = 64
DIAGNOSTICS = 20
EXPRESSION_CHARS = 200
TYPE_CHARS = 120
