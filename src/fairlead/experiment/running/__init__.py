"""Rows as they run: what they run on, the program and what is beside it, and what a kill leaves to be cleaned."""
