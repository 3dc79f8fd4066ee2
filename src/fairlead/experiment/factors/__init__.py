"""Tables of a plan, each a factor's: as a person writes them, and what they mean at a level."""
