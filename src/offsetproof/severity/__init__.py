"""How bad a violation is: whether it repairs itself, what it loses, and which delays it needs."""
