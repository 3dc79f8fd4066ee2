"""From the store to figures: what samples of experiments and runs say. No drawing, no processes."""
