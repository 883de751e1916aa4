"""What we claim of a broker and its slave: `fail_over` (what a query gives, and who takes a commit), `starts` (where a
consumer begins), `resets` (what becomes of a reset), `witnesses`. `catalogue` lists them all.
"""
