"""What every push consumer has, whatever its offset store, its mode and its listener."""
