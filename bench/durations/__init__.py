"""How long commands take: labs, characterizations, reports."""
