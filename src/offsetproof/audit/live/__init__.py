"""Watching a live group: what its brokers and clients say, poll by poll, as events and findings. Nothing is written.

Read `observer` first (what is asked, and that each request only reads), then `polling`, `series` and `watching`;
`conditions` says whether a reset would be safe, `following` what becomes of one.
"""
