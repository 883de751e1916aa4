"""Audit: from the logs of clients and brokers to findings about queues of consumer groups, with their explanations."""
