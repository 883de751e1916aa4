"""A system compiled to machine code: packed states, the LLVM text of its step, and calling it. For every engine."""
