"""What management gives and costs programs in labs, beside other ways through the same congestion."""
