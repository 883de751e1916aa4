"""Offsets at the broker: what RemoteBrokerOffsetStore sends, what the broker makes of it, what the network loses."""
