"""A system as a TLA+ module that people can read, and TLC run on it. Begin with `module`."""
