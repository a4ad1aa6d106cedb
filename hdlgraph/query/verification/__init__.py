"""Which testbench exercises a unit, and what the components of a testbench are to each other."""
