"""What is run on hosts, and files that are brought to them and from them: all through a host's executor."""
