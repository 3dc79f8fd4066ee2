"""Reports: everything a person sees, computed from the store."""
