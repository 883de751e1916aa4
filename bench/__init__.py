"""Benchmarks: `make bench` measures the explicit engine here and now and writes docs/speed.md."""
