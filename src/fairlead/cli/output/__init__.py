"""What commands say while they run: progress, and the streams that it goes to."""
