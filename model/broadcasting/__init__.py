"""Broadcasting: every client has every queue, and keeps its offsets in a file of its own (LocalFileOffsetStore).

Read after `model/shared` and `model/local` (the file, starts, persisting), in this order: `consumer` (what a client
has), `group` (all together, and what rest is), then what differs: `consuming`, `rebalancing`, `resetting`; last
`scopes`, and `broadcasting`, which puts the model together. Consume threads are those of the
concurrent model, and with an orderly listener those of the orderly one.

What broadcasting does differently, by class and line of 4.9.4 (semantics of the sources, as they were read):

- RebalanceImpl.rebalanceByTopic:239 takes all queues of the route, and asks for no members and no strategy.
- DefaultMQPushConsumerImpl.copySubscription subscribes to no %RETRY% topic.
- ConsumeMessageConcurrentlyService.processConsumeResult:271 logs what failed and forgets it; nothing is sent back.
- ProcessQueue.cleanExpiredMsg:79 sends back all the same, to a retry topic that nobody reads.
- DefaultMQPushConsumerImpl.pullMessage:407 sends no offset with a pull; correctTagsOffset:483 is as it was.
- LocalFileOffsetStore.load:63 fills the table at the start; persistAll:133 writes a new file with the queues that it is
  given, and returns at once without any; persist:157 and removeOffset:162 are empty.
- LocalFileOffsetStore.readOffset:109 reads the file each time, for RebalancePushImpl.computePullFromWhere:153; what the
  file does not have, or what cannot be read, is -1, and ConsumeFromWhere decides.
- So removeUnnecessaryMessageQueue:85 and removeDirtyOffset write and forget nothing: a cell survives its queue.
- Broker2Client.resetOffset:130 refuses a group without a row, which a broadcasting group has only from earlier days.
- MQClientInstance.resetOffset:1061 and the repair of an illegal offset look at no mode: they set the cell.
- RebalanceImpl.updateProcessQueueTableInRebalance:370 locks a queue for an orderly listener in this mode, too, while
  ConsumeMessageOrderlyService.start:96 renews locks in CLUSTERING only, and pullMessage:272 wants the mark.
- ConsumeMessageOrderlyService.ConsumeRequest.run:434 takes messages without the broker's lock; what a listener could
  not do is put back and given to it again, as in CLUSTERING mode.
- The client id keeps the instance name DEFAULT (changeInstanceNameToPID in CLUSTERING only): after a restart it finds
  its file, and its lock.
"""
