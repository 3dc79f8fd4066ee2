"""What `make` runs: set-up, tests, the documentation."""
