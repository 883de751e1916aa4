"""Natural timing: what a story needs is set up on a whole cluster, nothing is held, and it is counted what happens.

`trying` has what a scenario is, and runs many tries of one; `scenarios` has all of them. A scenario names the recorded
stories that it is the natural setting of.
"""
