"""What happened in managed runs, what management cost in them, and what it gave."""
