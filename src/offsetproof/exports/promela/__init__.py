"""A system as a Promela model, and SPIN run on it. Begin with `model`."""
