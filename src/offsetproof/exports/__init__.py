"""Exports: a system in the language of another model checker, and that checker run on it, as an independent oracle."""
