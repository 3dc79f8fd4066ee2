"""What samples say: estimates with intervals, ratios, effects, analysis of variance, what may be wrong with samples.

Pure functions of arrays; nothing here knows programs, networks or how a report looks.
"""
