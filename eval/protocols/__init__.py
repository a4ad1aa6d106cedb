"""How systems are run on question sets: one run, the suite, the paper's table."""
