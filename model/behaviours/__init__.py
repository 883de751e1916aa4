"""Behaviours that change steps or parts of several models, each in a file of its own."""
