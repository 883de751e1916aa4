"""What the system does: RocketMQ's consumer offsets as a state machine, in RocketMQ's words.

A model is a list of files, and takes nothing away from any of them; only a behaviour of a release may. The folders are
its choices:

| choice | folder | classes |
|---|---|---|
| every push consumer | `shared` | administering, pulling, rebalancing, repairing, resetting, starting, stopping |
| offset store | `remote` or `local` | RemoteBrokerOffsetStore or LocalFileOffsetStore |
| ownership | `clustering` or `broadcasting` | queues are shared out, or everybody has them all |
| consumption | `concurrent` or `orderly` | ConsumeMessageConcurrentlyService or ConsumeMessageOrderlyService |
| release | `behaviours` | what a behaviour changes in several steps; those of one step are asked for in it |
| a store of one's own | `stores` | what an OffsetStore of an application has to do |

`concurrent/rocketmq.py`, `orderly/rocketmq.py` and `broadcasting/broadcasting.py` put the models together; `queues`,
`files` and `replicas` are small models of their own. Read in this order: `vocabulary` (sorts and enums), then in
`shared` the data, `process_queue`, `consumer` and `broker`, and `group`, which is all of it with the history that
claims need; then `shared/pulling`, `concurrent/consuming`, `remote/committing`, `shared/rebalancing` and
`shared/resetting`; last `releases`, `variants` (behaviours, assumptions, faults), `threads` and `timers`.

Anchors name classes, methods and calls; `lines` has the lines where these are in each release. Each component's
docstring says what it leaves out; `LEFT_OUT` of a model says what the whole of it does, as `offsetproof list left-out`.
"""
