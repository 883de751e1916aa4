"""Sweeps: the questions of a grid decided side by side on Spark, with a matrix and plots."""
