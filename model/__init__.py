"""What the system does: RocketMQ's consumer offsets as a state machine, in RocketMQ's words.

Read in this order: `vocabulary` (sorts and enums), `process_queue`, `consumer`, `broker` (the data), `group` (all of it
together, with the history that claims need), then what happens: `pulling`, `consuming`, `committing`, `rebalancing`,
`resetting`; last `releases`, `variants` (behaviours, assumptions, faults), `timers`, `scopes`, and `rocketmq`, which
puts the model together.

Anchors name classes, methods and calls; `lines` has the lines where these are in each release. What a component leaves
out is said in its docstring; what the whole model leaves out is in `rocketmq.LEFT_OUT` and printed by
`offsetproof list`.
"""
