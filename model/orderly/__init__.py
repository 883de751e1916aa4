"""The orderly push consumer: the concurrent model with another way of consuming, and with the broker's locks.

Read after the concurrent model, in this order: `vocabulary`, `process_queue`, `consumer`, `lock_table`, `group` (the
data), then what happens: `locking`, `handing_over`, `pulling`, `consuming`, `results`, `stopping`; last `variants`,
`timing`, `scopes`, and `rocketmq`, which puts the model together. What the two have in common is the concurrent model's
code: a class here derives from the one there, and says only what is different.
"""
