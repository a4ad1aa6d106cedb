"""Limits on what is read and kept of one file, so that huge generated files stay cheap."""

from __future__ import annotations

DEEP_BYTES = 8_000_000
"""Larger files are read by text only (units, ports, instances by regular expression)."""
SCAN_BYTES = 24_000_000
"""Of a file that is read by text only, and of a header, so many bytes are read."""
WITNESS_BYTES = 200_000
"""PyVerilog is not tried on larger files: it takes a second for about a million bytes."""
WITNESS_CHARS = 600_000
"""Nor on texts that are longer than this with all that they include."""
WITNESS_SECONDS = 2.0
"""Processor time that PyVerilog may take for one file."""
BRANCHES = 1000
"""Of the `ifdefs of one file, and of its lines with macros, to compare its readers."""
SIGHTINGS = 200
"""Kept of one file: what a reader alone saw and was not believed."""
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
