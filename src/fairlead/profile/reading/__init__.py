"""What a program's processes leave: asked for when they start, brought here and read."""
