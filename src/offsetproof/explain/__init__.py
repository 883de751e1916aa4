"""Explaining: all causes of a refuted claim, each with its story and what removes it."""
