"""The migration controller: moves a virtual machine where every path into its server is slow (DMCBM 3.4.3).

Pure logic: `incoming` (which paths are slow), `traffic` (rates from counters), `diagnosis` (what kind of congestion),
`choice` (which machine, where to, whether it pays), `controller` (what to do now), `relation` (what paths share then).
`mover` does it; `probing` asks the agents, `sharing` tells them.
"""
