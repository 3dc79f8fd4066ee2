"""What the probe asks of a host, in a file for each subject. These files travel to hosts (`bundle`).

Standard library only, Python 3.7 and later: no walrus, no `zip(strict=)`, no `|` between types outside annotations.
Functions that read text take it as an argument, so that captured output tests them.
"""
