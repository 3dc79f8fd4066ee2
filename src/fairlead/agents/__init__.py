"""Agents as Python sees them: starting them on the hosts, commands and events, stopping them."""
