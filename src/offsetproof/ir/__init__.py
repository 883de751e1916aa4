"""The intermediate representation: hash-consed expressions, transition systems, and rewritings of both.

Read in this order: kind (the closed list), node, build, system; then rewrite, slicing, dead. Nothing here knows how a
system came to be or who will explore it.
"""
