"""Conformance: the model compared with the real classes of RocketMQ, in the rigs of `real`. Nothing here prints.

Read in this order: `on_release` (a recorded story replayed, step by step), `walks` (random walks of the model beside
the classes), `drawn` (runs that Hypothesis draws) and `stores` (the same for an OffsetStore of one's own), `drift`
(which methods differ from a release's).
"""
