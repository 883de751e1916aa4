"""What we claim about orderly consumption: claims of its own, and those of the concurrent model asked here as well.

`delivery` (what is done, given again, rolled back), `locks` (who may run a listener), `ownership` (who pulls in the
end), `writes` (the cell), `resets`, `witnesses`. `catalogue` lists them all. A predicate that both models share is
written once, with the concurrent claims.
"""
