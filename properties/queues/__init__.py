"""What we claim of several queues: `resets` (where they end, and how they stay), `unnamed` (what they do to queues that
they do not name), `writes` (the offset of one queue, written by the administrator), `freezing` (cells that take no
value), `sharing` (who has which queue, and what persistAll's set of queues does), `witnesses`. `catalogue` lists them
all.
"""
