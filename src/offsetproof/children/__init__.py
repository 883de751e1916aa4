"""Child processes: forks of this one that do work and answer (forked), how long any of them lives (lifetime), and
interrupts that are not lost (interrupts)."""
