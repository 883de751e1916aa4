"""Mutation: a model broken on purpose, one small change at a time, to see which of its claims notice.

Mutants are made of the staged system, so they have no Python: they are judged by the compiled search alone, and no
trace of theirs is ever replayed. Nothing here gives verdicts about a model. Read in this order: guards (the parts of a
guard) with wording, workshop (how a change becomes a mutant), mutants and swaps (which are made); then layers
(what a search tells), matrix (what the model itself does), judging (one mutant against it) and sameness; refuting is
for tests of claims.
"""
