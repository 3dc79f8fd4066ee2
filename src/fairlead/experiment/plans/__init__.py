"""Plans: what a person writes, the rows that it means and their order, whether they can run and how long that takes."""
