"""The orderly push consumer: another way of consuming than the concurrent one, and the broker's locks.

Read after `model/shared`, `model/remote` and `model/clustering`, in this order: `vocabulary`, `process_queue`,
`consumer`, `group` (the data; `lock_table` is shared), then what happens: `locking`, `handing_over`, `pulling`,
`consuming`, `results`, `stopping`; last `variants`, `scopes`, and `rocketmq`, which puts the model together. A class
here derives from the one that both ways of consuming share, and says only what is different.
"""
