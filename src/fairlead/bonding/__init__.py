"""Aggregated interfaces: which link a flow takes under a transmit policy of Linux bonding, and what that gives."""
