"""How numbers, tables and the terminal look: for reports, and for whatever else speaks to people."""
