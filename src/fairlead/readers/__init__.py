"""Readers of what other benchmark programs print. They refuse what they do not understand, with file and line."""
