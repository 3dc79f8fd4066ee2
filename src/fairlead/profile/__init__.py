"""How a program communicates: what libfairlead recorded in its ranks, added up and shown."""
