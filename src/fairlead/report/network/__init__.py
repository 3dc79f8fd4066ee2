"""Report of a characterization, and tables of networks, placements and clouds."""
