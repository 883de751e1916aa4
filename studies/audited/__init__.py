"""Logs of real clusters with what really happened on them, by which the audit of logs is measured (`audit_data.py`)."""
