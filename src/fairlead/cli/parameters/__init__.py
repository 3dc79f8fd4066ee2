"""What commands take from their command line: arguments and options that several have, and groups of commands."""
