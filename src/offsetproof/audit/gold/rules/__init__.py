"""The rules: each looks for one thing among the events of a queue, or of a group, and says how sure it is."""
