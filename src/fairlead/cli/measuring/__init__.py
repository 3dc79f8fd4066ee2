"""What `fairlead measure` consists of beside its command: options that all benchmarks have, and plans of several."""
