"""Which rank runs on which host, by who talks to whom and what the network between the hosts is like."""
