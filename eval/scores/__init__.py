"""Measures, comparisons, reports and TREC files."""
