"""Verdicts: the question that every engine is asked, the result that it gives, and what results mean for scripts."""
