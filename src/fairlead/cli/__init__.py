"""The command line: one thin file a command. The function that a command calls is also the Python interface.

`parameters`, `output` and `measuring` are what commands share.
"""
