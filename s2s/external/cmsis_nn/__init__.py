"""Layers of 8-bit integers by CMSIS-NN, one file for each kind of function."""
