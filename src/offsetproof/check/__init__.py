"""Checking: from what a user asks for to questions, answers and reports. Everything here returns values; the CLI prints.

Read in this order: `subject` (what is checked), `request` (which questions that makes), `answers` (asking an engine),
then the reports, one file per format.
"""
