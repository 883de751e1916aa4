"""Several queues and brokers of RocketMQ 4.9.4: what queues of one group have in common, and what a reset of them does.

What happens within one queue is as little here as that needs; the model of one queue (`offsetproof check rocketmq`) has
all of it. Read in this order: `vocabulary`, `client` (a client's table and cells, and its threads), `broker` (stored
offsets, members), `group` (all of it together, with the history that claims need), `threads` (whose steps there are),
then what happens: `consuming`, `persisting`, `rebalancing`, `administering`, `resetting`; last `variants`, `scopes` and
`queues`, which puts the model together; `timing` and `rigging` follow from its steps.
"""
