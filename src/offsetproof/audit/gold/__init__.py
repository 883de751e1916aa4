"""Gold: the events of each queue in the order of their clocks, and what the rules find in them."""
