"""The explicit engine: exhaustive search over states packed into machine words.

Read in this order, after `compiled` (packing, LLVM IR, machine code and calling it): table (the visited set), search
(levels), explorer (who searches), shortest (the canonical trace), spot (spot checks), and engine (verdicts).
"""
