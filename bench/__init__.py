"""Benchmarks: how fast the explicit engine explores."""
