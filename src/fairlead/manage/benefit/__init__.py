"""Whether reroutes pay: the program's traffic is measured with and without them while it runs."""
