"""Engines: each answers the same question about a model with the same kind of result. They do not know each other."""
