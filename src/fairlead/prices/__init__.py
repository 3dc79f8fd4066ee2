"""Price books: what systems cost."""
