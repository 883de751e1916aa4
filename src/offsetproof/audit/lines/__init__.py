"""Lines: how clients and brokers write what they say of offsets, and how it is read out of any log."""
