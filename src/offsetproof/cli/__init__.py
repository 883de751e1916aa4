"""The command line: the only place that prints, reads signals and ends the process. One file per verb."""
