"""What records say: waiting, clocks, what collective calls send, phases, call sites, groups."""
