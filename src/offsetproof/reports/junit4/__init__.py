"""A story as one JUnit 4 test of RocketMQ's client: its threads' turns, the assertion, and the Java text."""
