"""Advice to the user while a program runs: ranks that spend more in transmission than in processing (DMCBM 3.4.4)."""
