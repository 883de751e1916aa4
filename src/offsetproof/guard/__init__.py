"""Guarding: every question of the matrix decided again and compared with the committed baseline."""
