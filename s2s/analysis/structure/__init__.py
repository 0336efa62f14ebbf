"""Analyses that recognise what a computation is: a sum of products, a reduction, a convolution, a concatenation."""
