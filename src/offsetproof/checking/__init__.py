"""Checking: from what a user asks for to questions and answers. Nothing here prints; the CLI does.

Read in this order: `subject` (what is checked), `request` (which questions that makes), `answers` (asking an engine).
"""
