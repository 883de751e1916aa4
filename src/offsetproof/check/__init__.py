"""Checking: from what a user asks for to questions, answers and reports. Nothing here prints; the CLI does.

Read in this order: `subject` (what is checked), `request` (which questions that makes), `answers` (asking an engine),
then the reports, one file per format.
"""
