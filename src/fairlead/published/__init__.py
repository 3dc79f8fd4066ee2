"""Published and foreign results: read into the store, and stated figures checked against them."""
