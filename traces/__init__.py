"""What went wrong: counterexamples as data, their order and cause, and every form in which people and tools read them.

Read in this order: `trace` (what a counterexample is), `reads` (what each step really read and wrote), `cause` and
`happens_before` (which steps the violation needed, and which step had to come before which), `text` and `two_traces`
(for readers), `brief` (in a few lines), `store` (JSON, written and read back), `graph` (GraphML, too), `itf`, `dot` and
`mermaid` (for other tools). `trace_order` says which of several is told, `shrink` makes one smaller, `acting` says who
takes up what was done. Recorded traces are in `recorded/`, and `recorded_stories` reads them.
"""
