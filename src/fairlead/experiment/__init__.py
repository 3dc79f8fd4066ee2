"""Designed experiments: plans, their order, what rows run on, what runs beside the program, and the runner."""
