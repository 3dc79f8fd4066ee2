"""What detours would give a program on a network as it was measured."""
