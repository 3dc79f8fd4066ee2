"""The checks, in a file for each subject. None of them asks a host anything."""
