"""The offset files of RocketMQ: the broker's consumerOffset.json and a broadcast consumer's offsets.json.

Both are written by MixAll.string2File and have a backup, and both are read again at a start. Read in this order:
`vocabulary`, `offset_file` (what a file holds), `process` (memory, and the threads that write), `store` (all of it
together, with the history that claims need, and what a start would load), `threads` (whose steps there are), then what
happens: `writing` (string2File, step by step), `running` (start, stop, kill), `serving` (commits and consumption),
`disk` (a full disk, a power failure); last `variants`, `scopes` and `offset_files`, which puts the model together.
`rigging` says how it is replayed on the real classes.
"""
