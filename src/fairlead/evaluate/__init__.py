"""Evaluations: own or published samples by factor, what they say, and whether stated figures follow from them."""
