"""The Python side of the executors and their file formats."""
