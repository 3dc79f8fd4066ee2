"""The protocol between the supervisor and the agents as a table (agent.toml), and what makes sources of it."""
