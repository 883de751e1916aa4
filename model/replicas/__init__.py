"""A broker and its slave: both offset tables, the copies between them, fail-over, and the return of the old master.

Read in this order: `vocabulary`, `broker` (a broker of the pair, and a copy on its way), `consumer`, `pair` (all of it,
with the history that claims need), `threads`, then what happens: `copying` (the slave's copy), `running` (flush, stop,
kill, start), `routing` (routes, and whom a client asks), `consuming`, `committing`, `resetting`; last `variants`,
`scopes` and `replicas`, which puts the model together. What later releases do otherwise is in `behaviours`:
`takes_slaves_table`, `server_side_reset_replicas`.
"""
