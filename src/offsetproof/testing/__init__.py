"""The pytest plugin: claims and baselines as tests of somebody's own suite."""
