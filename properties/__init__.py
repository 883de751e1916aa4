"""What we claim: sentences about offsets that should be true, each one function with a table of cases.

Themes: `at_least_once` (what the broker's offset has passed is done), `commits` (what tasks and pull callbacks write to
the cell), `broker_offsets` (what the broker stores, and where a group starts), `ownership` (who may consume),
`resets` (whether a reset stays and lands), `consuming` (PullRequests, deliveries, shutdown), `witnesses` and `repeats`
(the situations that a HOLDS must have met). `catalogue` lists them all. A case says where and under what its claim is
judged, what is expected, why, and what repairs a refuted one; its id is a short name that reports and records keep.
"""
