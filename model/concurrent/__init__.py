"""A concurrent listener: what ConsumeMessageConcurrentlyService does, and the model `rocketmq`, which is about it."""
