"""Answers of whole question sets, and whether their citations are true."""
