"""Programs on simulated networks: what management gives in many cases, and what each of its settings changes."""
