"""Networks to try s2s with, each made in seconds without a download, and the project that runs one on samples."""
