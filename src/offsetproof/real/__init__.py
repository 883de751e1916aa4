"""The real RocketMQ: its published jars, its classes driven line by line, and traces of a model compared with them.

Read in this order: `jars` and `fetching` (what there must be, and getting it), `compiling` and `sidecar` (a JVM that
does as it is told; the Java sources are in `java/`), `replay`. What a model's actions are there is data of the model
(`lang/rigging.py`); nothing here knows one.
"""
