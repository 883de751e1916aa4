"""What we claim of broadcasting: `delivery` (what the file's offset says of messages), `starts` (where one begins),
`rows` (the file keeps the queue), `resets`, `locks`, `witnesses`. `catalogue` lists them all.
"""
