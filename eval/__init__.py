"""Question sets, baselines, measures and benchmarks."""
