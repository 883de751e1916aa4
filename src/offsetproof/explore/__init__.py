"""A model walked by hand, in a browser or in a terminal: what can be done next, what changes, which claims break."""
