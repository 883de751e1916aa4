"""The smt engine: bounded model checking and k-induction by Z3, in a child process that can be stopped at any time."""
