"""The explicit engine: exhaustive search over states packed into machine words.

Read in this order: layout (packing), instructions and lower (nodes and systems to LLVM IR), native (compiling),
expander (calling it), table (the visited set, the only numba file), search (levels), explorer (who searches), shortest
(the canonical trace), spot (spot checks), and engine (verdicts).
"""
