"""The explicit engine: exhaustive search over states packed into machine words.

A claim goes from its question to its verdict through five files, after `compiled` (packing, LLVM IR, machine code and
calling it): engine (verdicts), explorer (who searches), search (levels, kept in visited), shortest_trace (the canonical
trace and its replay) and spot (spot checks, of what situations tells apart). Beside that, ends with components says
where fair runs end, and machine_code keeps compiled loops.
"""
