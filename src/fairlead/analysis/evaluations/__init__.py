"""What the samples of an evaluation say: by factor, compared, with the warnings that go with them."""
