"""Queues that are shared out among the members of a group."""
