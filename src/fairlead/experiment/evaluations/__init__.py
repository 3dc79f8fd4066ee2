"""Evaluations (``fairlead evaluate``): their rows in the store, and what is said at the end."""
