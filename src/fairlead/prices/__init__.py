"""Price books: what systems cost, and what money buys."""
