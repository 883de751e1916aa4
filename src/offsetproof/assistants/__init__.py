"""Answers for assistants over the Model Context Protocol: each tool is a verb, run in a process of its own."""
