"""What agents cost, how fast they are, and how soon they reroute."""
