"""Evaluation: question sets, baselines, measures, corpora and the benchmark of the figures."""
