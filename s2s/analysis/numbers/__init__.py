"""Analyses of the values that integers and quantised tensors can take."""
