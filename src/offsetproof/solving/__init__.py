"""Z3 on expressions of the IR: nodes as terms, and questions about all values that variables may have."""
